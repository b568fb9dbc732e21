import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateHistory } from '../../../bench/history/generate.ts';
import { historySettings } from '../../../bench/history/networks.ts';
import { bookSecond, questionsOf } from '../../../bench/history/questions.ts';
import { trialBalance } from '../../../src/ledger/book/balances.ts';
import { compareBookWithIndex } from '../../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../../src/reconciliation/book-and-states.ts';
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

it('is consistent: the book balances, and is what the states and the index say', async () => {
  expect([...(await trialBalance(ledger)).values()]).toEqual([0n, 0n]);
  const { networks } = historySettings(database.url);
  const byIndex = await Promise.all(Object.values(networks).map((network) => compareBookWithIndex(ledger, network)));
  const comparisons = [...(await compareBookWithStates(ledger)), ...byIndex.flatMap((list) => list ?? [])];
  expect(comparisons.filter(({ difference }) => difference !== 0n)).toEqual([]);
  expect(comparisons.filter(({ account, expected }) => account !== '' && expected > 0n).length).toBeGreaterThan(8);
  expect(await sql`select 1 from orders`.execute(ledger)).toMatchObject({ rows: { length: size.orders } });
});

it('answers what the bench asks', async () => {
  await bookSecond(ledger);
  const questions = await questionsOf(ledger, historySettings(database.url));
  for (const { name, ask } of questions) await expect(ask(), name).resolves.not.toBeNull();
});
