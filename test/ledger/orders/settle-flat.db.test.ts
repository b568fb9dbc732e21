import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import type { Rail } from '../../../src/bank/rail.ts';
import { createSandboxRail } from '../../../src/bank/sandbox-rail.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { createLedger, inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createCustomer } from '../../support/customer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { beginLegs } from '../../../src/ledger/orders/legs/begin-legs.ts';

const settled = 400;
const waiting = 3_000;

/** Rows that a step may handle for each order that is settled: a few postings each, and those that join them. */
const mostRowsPerOrder = 12;

const refuseAll: Rail['plan'] = (payments) => ({ accepted: [], refused: payments.map(({ id }) => ({ id, reason: 'closed' })), sent: [] });

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

// Before the commit an analysis finds none of the new rows.
it.each(['before many are placed', 'while many are placed', 'after many were placed'])(
  'settling, paying and announcing compares no order with all others, with statistics of %s',
  async (moment) => {
    const database = await createTestDatabase();
    const pool = createPool({ connectionString: database.url, max: 1 });
    const ledger = createLedger(pool, wakesNobody);
    const customer = await createCustomer(ledger, 'chiado');
    const place = (count: number, to: Ledger = ledger) =>
      sql`
      with placed as (
        insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest)
        select uuidv7(), 'redeem', ${customer.profile}, ${customer.address}, 'chiado', 'eur', 100, '{"identifier": {"iban": "DE89370400440532013000"}}', '',
          gen_random_uuid()::text
        from generate_series(1, ${count}::int) returning *
      ), ${beginLegs(sql`
        select id, 'redeem', 0, chain, currency, address, amount, 'ready', 'key', null::text, null::timestamptz from placed
        union all select id, 'payout', 1, null, currency, null, amount, 'waiting', 'nobody', null, null from placed`)}
      select`.execute(to);
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
    const burn = async (count: number, rail: Parameters<typeof takePaymentBatch>[1] = createSandboxRail()) => {
      await settle(count, null);
      await makePaymentsOfLegs(ledger, count);
      return takePaymentBatch(ledger, rail);
    };
    // Statistics of a ledger in which nothing is under way, as they mostly are.
    await place(100);
    await burn(100);
    await sql`vacuum analyze`.execute(ledger);
    await inTransaction(ledger, async (tx) => {
      await place(3 * settled + waiting, tx);
      if (moment.startsWith('while')) await analyseFrom(database.url);
    });
    if (moment.startsWith('after')) await analyseFrom(database.url);
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
    // The tokens are given back where the bank refuses a payment.
    expect(await burn(settled, { limit: settled, collectSeconds: 0, plan: refuseAll })).toMatchObject({
      decided: { ids: { length: settled } },
    });
    expect(await dispatchEvents(ledger, settled)).toMatchObject({ events: settled });
    // Those whose burning is refused end at once.
    await settle(settled, 'account blocked');
    expect(plans.length).toBeGreaterThan(8);
    const large = plans.flatMap(({ text, plan }) =>
      largeSteps(plan).map((step) => `${step}: ${text.replaceAll(/\s+/g, ' ').slice(0, 120)}`),
    );
    expect(large).toEqual([]);
    await ledger.destroy();
    await database.drop();
  },
);

/** Analyses all tables on a connection of its own. */
async function analyseFrom(url: string): Promise<void> {
  const pool = createPool({ connectionString: url, max: 1 });
  await pool.query('analyze');
  await pool.end();
}

/** The steps of a plan that have handled more rows than they may. */
function largeSteps(node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '', 'Actual Rows': found, 'Actual Loops': loops } = node;
  const rows = (found + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)) * loops;
  const below = (node.Plans ?? []).flatMap(largeSteps);
  return rows > settled * mostRowsPerOrder ? [`${type} ${table} ${index}: ${rows} rows in ${loops} loops`, ...below] : below;
}
