import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateHistory } from '../../../bench/history/generate.ts';
import { historySettings } from '../../../bench/history/networks.ts';
import { bookSecond, questionsOf } from '../../../bench/history/questions.ts';
import { trialBalance } from '../../../src/ledger/book/balances.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const size = { orders: 1_000, days: 30, open: 200, customers: 50 };

let database: TestDatabase;
let ledger: Ledger;

beforeAll(async () => {
  database = await createTestDatabase();
  await generateHistory(database.url, size, () => {});
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
});
afterAll(async () => {
  await ledger.destroy();
  await database.drop();
});

it('is consistent: the book balances, and has what the legs and the index have', async () => {
  expect([...(await trialBalance(ledger)).values()]).toEqual([0n, 0n]);
  const { rows } = await sql<{ inBook: bigint; inLegs: bigint }>`
    select (select sum(credited - debited) from balances where account like 'liabilities:tokens:%')::bigint as in_book,
      (select sum(case kind when 'issue' then amount else -amount end) from legs where chain is not null and state = 'done')::bigint as in_legs
  `.execute(ledger);
  expect(rows[0]?.inBook).toBe(rows[0]?.inLegs);
  expect(await sql`select 1 from orders`.execute(ledger)).toMatchObject({ rows: { length: size.orders } });
});

it('answers what the bench asks', async () => {
  await bookSecond(ledger);
  const questions = await questionsOf(ledger, historySettings(database.url));
  for (const { name, ask } of questions) await expect(ask(), name).resolves.not.toBeNull();
});
