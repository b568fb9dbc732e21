import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { rollForward } from '../../src/ledger/book/roll-forward.ts';
import { createRandom } from '../simulation/random.ts';
import { createPaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { takeStep } from '../ledger/book/random-lifecycle.ts';
import { derivedTables, differingTables } from './derived-tables.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const steps = 120;

const bank = forWholeFile(createPaymentsLedger);

beforeAll(async () => {
  await useQuotas();
  for (let number = 1; number <= steps; number += 1)
    await takeStep({ ledger: bank.ledger, random: createRandom(`derived/${number}`), customer: bank.customer, number });
});

/** Profiles and files of an application and of a user, some of which are gone again. */
async function useQuotas(): Promise<void> {
  const { id: application } = await createApplication(bank.ledger, { kind: 'private', name: 'Shop', owner: bank.customer.user });
  for (const name of ['Anna', 'Ben']) await createProfile(bank.ledger, { kind: 'personal', name, state: 'created', application });
  await sql`insert into files (id, application, uploaded_by, name, type, size, hash)
    select gen_random_uuid(), case when n < 3 then ${application}::uuid end, ${bank.customer.user}, 'a.pdf', 'application/pdf', 10 * n, 'x' from generate_series(1, 4) n`.execute(
    bank.ledger,
  );
  await sql`delete from files where size = 10`.execute(bank.ledger);
  await sql`insert into profiles (id, kind, name, state, application) values (gen_random_uuid(), 'personal', 'Carl', 'created', ${application})`.execute(
    bank.ledger,
  );
  await sql`delete from profiles where name = 'Carl'`.execute(bank.ledger);
}

const query = async (statement: string) => (await sql.raw<{ row: string }>(statement).execute(bank.ledger)).rows;

describe('a table that is derived from others', () => {
  it('has, after any lifecycle, what can be made of them again', async () => {
    expect(await differingTables(query)).toEqual([]);
    while (!(await rollForward(bank.ledger))) await differingTables(query);
    expect(await differingTables(query)).toEqual([]);
  });

  it.each(Object.keys(derivedTables))('has rows, and is named when one of them is not what it should be: %s', async (table) => {
    const before = await differingTables(query);
    await sql`create temp table kept as select * from ${sql.table(table)}`.execute(bank.ledger);
    try {
      await sql`delete from ${sql.table(table)} where ctid = (select ctid from ${sql.table(table)} ${nonZero(table)} limit 1)`.execute(
        bank.ledger,
      );
      const named = (await differingTables(query)).filter((row) => !before.includes(row));
      expect(named).toEqual([expect.stringMatching(`^${table}: `)]);
    } finally {
      await sql`truncate ${sql.table(table)}`.execute(bank.ledger);
      await sql`insert into ${sql.table(table)} select * from kept`.execute(bank.ledger);
      await sql`drop table kept`.execute(bank.ledger);
    }
  });

  it('says so in its comment, and all that say so are compared here', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'ledger'::regnamespace and obj_description(oid, 'pg_class') ~ 'Derived from: '
    `.execute(bank.ledger);
    // The changes are a part of the balances.
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...Object.keys(derivedTables), 'balance_changes'].toSorted());
  });
});

it('the open legs are those of the history without an outcome, after any lifecycle', async () => {
  const columns = sql.raw('id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at');
  const { rows } = await sql`
    select id, o.is_open, h.is_unended
    from (select ${columns}, true as is_open from open_legs) o
    full join (select ${columns}, true as is_unended from leg_history where outcome is null) h
      using (id, order_id, kind, position, currency, amount, signed_by, created_at)
    where o.is_open is null or h.is_unended is null or (o.chain, o.account) is distinct from (h.chain, h.account)
  `.execute(bank.ledger);
  expect(rows).toEqual([]);
  const { rows: counts } = await sql<{ open: number; ended: number }>`
    select (select count(*)::int from open_legs) as open, (select count(*)::int from leg_history where outcome is not null) as ended
  `.execute(bank.ledger);
  expect(Math.min(counts[0]?.open ?? 0, counts[0]?.ended ?? 0)).toBeGreaterThan(0);
});

/** A row that counts: one of zero is as good as none. */
function nonZero(table: string) {
  if (table === 'quota_usage') return sql`where count <> 0`;
  return table === 'balances' || table === 'account_days' ? sql`where debited + credited <> 0` : sql``;
}
