import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import { createSandboxRail } from '../../../src/bank/sandbox-rail.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createCustomer } from '../../support/customer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { beginLegs } from '../../../src/ledger/orders/legs/begin-legs.ts';

const settled = 400;
const waiting = 3_000;

/** Rows that a step may handle for each order that is settled: a few postings each, and those that join them. */
const mostRowsPerOrder = 12;

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

it('settling and paying compares no order with all others, whatever the statistics say and however many orders wait', async () => {
  const database = await createTestDatabase();
  const pool = createPool({ connectionString: database.url, max: 1 });
  const ledger = createLedger(pool, wakesNobody);
  const customer = await createCustomer(ledger, 'chiado');
  const place = (count: number) =>
    sql`
      with placed as (
        insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest)
        select uuidv7(), 'redeem', ${customer.profile}, ${customer.address}, 'chiado', 'eur', 100, '{"identifier": {"iban": "DE89370400440532013000"}}', '',
          gen_random_uuid()::text
        from generate_series(1, ${count}::int) returning *
      ), ${beginLegs(sql`
        select id, 'redeem', 0, chain, currency, address, amount, 'ready', 'key', null::text, null::timestamptz from placed
        union all select id, 'payout', 1, null, currency, null, amount, 'waiting', 'nobody', null, null from placed`)}
      select`.execute(ledger);
  const settle = async (count: number, refused: string | null) => {
    const legs = await ledger
      .selectFrom('legs')
      .where('kind', '=', 'redeem')
      .where('state', '=', 'ready')
      .limit(count)
      .select('id')
      .execute();
    await settleLegs(
      ledger,
      legs.map(({ id }) => ({ legId: id, txHash: '0x01', blockNumber: 7n, refused })),
    );
  };
  const burn = async (count: number) => {
    await settle(count, null);
    await makePaymentsOfLegs(ledger, count);
    return takePaymentBatch(ledger, createSandboxRail());
  };
  // Statistics of a ledger in which nothing is under way, as they mostly are.
  await place(100);
  await burn(100);
  await sql`vacuum analyze`.execute(ledger);
  await place(2 * settled + waiting);
  // The connection keeps the plans of triggers, which were made for single orders.
  for (let single = 0; single < 6; single += 1) await settle(1, 'account blocked');

  const client: PoolClient = await pool.connect();
  const plans: { text: string; plan: PlanNode }[] = [];
  client.on('notice', ({ message = '' }) => {
    const json = /plan:\n(\{[^]*\})/.exec(message)?.[1];
    if (json === undefined) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
    plans.push({ text, plan });
  });
  await client.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
    set auto_explain.log_nested_statements = on; set auto_explain.log_timing = off; set auto_explain.log_format = json; set auto_explain.log_level = notice`);
  client.release();
  expect(await burn(settled)).toMatchObject({ decided: { orders: { length: settled } } });
  // Those whose burning is refused end at once.
  await settle(settled, 'account blocked');
  expect(plans.length).toBeGreaterThan(8);
  const large = plans.filter(({ plan }) => mostRows(plan) > settled * mostRowsPerOrder);
  expect(large.map(({ text }) => text)).toEqual([]);
  await ledger.destroy();
  await database.drop();
});

/** Rows that the largest step of a plan has handled. */
function mostRows(node: PlanNode): number {
  return Math.max(node['Actual Rows'] * node['Actual Loops'], ...(node.Plans ?? []).map(mostRows));
}
