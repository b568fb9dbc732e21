import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBalances, trialBalance } from '../../../src/ledger/book/balances.ts';
import { createLedger, inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { migrateLedger } from '../../../src/ledger/migrate.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { compareBookWithStates } from '../../../src/reconciliation/book-and-states.ts';
import { createDatabase, createPool, ledgerSchema } from '../../../src/platform/database.ts';
import { createRandom } from '../../simulation/random.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../bank/payments-ledger.ts';
import { takeStep } from './random-lifecycle.ts';
import { balancesByStates } from './states.ts';

/** `BOOK_SEED` and `BOOK_STEPS` replay another run, or a longer one. */
const seed = process.env['BOOK_SEED'] ?? '1';
const steps = Number(process.env['BOOK_STEPS'] ?? 250);

let bank: PaymentsLedger;
beforeAll(async () => {
  bank = await createPaymentsLedger();
});
afterAll(() => bank.close());

/** The balances, and the sums of all postings, in the form of `balancesByStates`. */
async function readBook(ledger: Ledger) {
  const { rows } = await sql<{ account: string; currency: string; amount: string }>`
    select account, currency, sum(amount)::text as amount from postings group by 1, 2
  `.execute(ledger);
  const balances = (await readBalances(ledger)).map(({ account, currency, amount }) => ({ account, currency, amount: amount.toString() }));
  return { balances: byAccount(balances), postings: byAccount(rows), trial: [...(await trialBalance(ledger)).values()] };
}

const byAccount = (rows: { account: string; currency: string; amount: string }[]): Record<string, bigint> =>
  Object.fromEntries(
    rows
      .filter(({ amount }) => amount !== '0')
      .map(({ account, currency, amount }): [string, bigint] => [`${account} ${currency}`, BigInt(amount)])
      .toSorted(([first], [second]) => first.localeCompare(second)),
  );

async function expectBookOfStates(ledger: Ledger, message: string): Promise<void> {
  const { balances, postings, trial } = await readBook(ledger);
  expect(balances, message).toEqual(await balancesByStates(ledger));
  expect(balances, message).toEqual(postings);
  expect(
    trial.filter((amount) => amount !== 0n),
    message,
  ).toEqual([]);
}

it('after every step of any lifecycle the book says what the states say', { timeout: 300_000 }, async () => {
  const history: string[] = [];
  for (let number = 1; number <= steps; number += 1) {
    const random = createRandom(`${seed}/${number}`);
    history.push(await takeStep({ ledger: bank.ledger, random, customer: bank.customer, number }));
    await expectBookOfStates(bank.ledger, `seed ${seed}, step ${number}: ${history.slice(-5).join('; ')}`);
  }
  const kinds = await bank.ledger.selectFrom('entries').select('kind').distinct().execute();
  expect(kinds.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([
      'credit',
      'credit-replaced',
      'issue-refused',
      'issued',
      'match',
      'opening',
      'payment-booked',
      'payment-sent',
      'redeemed',
    ]),
  );
});

it('a ledger from before the book is opened with what its states say', async () => {
  const database = await createTestDatabase();
  const ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  try {
    await migrateTo('0032-sources-of-links', database.url);
    await copyStates(ledger);
    await migrateLedger(database.url);
    await expectBookOfStates(ledger, 'after the migration');
    const { balances } = await readBook(ledger);
    const openings = await sql<{ currency: string; supply: string }>`
      select currency, sum(supply)::text as supply from token_openings group by 1
    `.execute(ledger);
    for (const { currency, supply } of openings.rows) expect(balances[`equity:openings ${currency}`]).toBe(BigInt(supply));
    expect(Object.keys(balances).filter((account) => account.startsWith('assets:differences'))).toEqual([]);
    expect((await compareBookWithStates(ledger)).filter(({ difference }) => difference !== 0n)).toEqual([]);
  } finally {
    await ledger.destroy();
    await database.drop();
  }
});

/** Empties a database and brings it to a migration of an earlier version. */
async function migrateTo(name: string, url: string): Promise<void> {
  const database = createDatabase<Record<string, never>>(createPool({ connectionString: url, max: 1 }));
  await sql`drop schema ${sql.id(ledgerSchema)}, partitions, archive cascade`.execute(database);
  await database.destroy();
  await migrateLedger(url, { upTo: name });
}

/** Copies the states of the lifecycle's ledger into an older one, which lacks the columns that came later. */
async function copyStates(to: Ledger): Promise<void> {
  const tables = ['users', 'profiles', 'addresses', 'address_links', 'ibans', 'orders', 'legs', 'credits', 'payment_files', 'payments'];
  await inTransaction(to, async (tx) => {
    // Without the triggers: each table is copied as it is.
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const table of [...tables, 'token_openings']) {
      const { rows } = await sql<{ rows: string | null }>`select jsonb_agg(t)::text as rows from ${sql.table(table)} t`.execute(
        bank.ledger,
      );
      const columns = await sql<{ list: string }>`
        select string_agg(quote_ident(attname), ', ') as list from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      `.execute(tx);
      const list = sql.raw(columns.rows[0]?.list ?? '');
      await sql`insert into ${sql.table(table)} (${list}) overriding system value
        select ${list} from jsonb_populate_recordset(null::${sql.table(table)}, ${rows[0]?.rows ?? '[]'}::jsonb)`.execute(tx);
    }
  });
}
