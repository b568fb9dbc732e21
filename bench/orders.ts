import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';

/** Figures of the orders that were placed since a time. Times are in seconds. */
export interface OrderFigures {
  count: number;
  /** From the first placed to the last processed. */
  total: number;
  /** Orders that were processed after the first ones, and the seconds from the first ones to the last. */
  later: number;
  drain: number;
  median: number;
  p95: number;
  p99: number;
  transactions: number;
  blocks: number;
  /** Per order. */
  gas: number;
}

/** The time by the database's clock, by which orders are timed. */
export async function now(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now as Date;
}

/** Waits until `count` orders have been placed since a time and none of them is open. */
export async function allProcessed(pool: Pool, since: Date, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ placed: number; open: number }>(
      `select count(*)::int as placed, (count(*) filter (where state in ('placed', 'pending')))::int as open from orders where placed_at >= $1`,
      [since],
    );
    if ((rows[0]?.placed ?? 0) >= count && rows[0]?.open === 0) return;
    await delay(200);
  }
}

/** Reads the figures of the orders that were placed since a time. */
export async function readFigures(pool: Pool, since: Date): Promise<OrderFigures> {
  const { rows } = await pool.query<OrderFigures>(
    `with o as (
       select placed_at, processed_at, extract(epoch from processed_at - placed_at) as s, min(processed_at) over () as first
       from orders where placed_at >= $1 and state = 'processed'
     ), t as (
       select t.gas_used, t.block_number, (select count(*) from legs l where l.transaction = t.id) as items from transactions t where t.created_at >= $1
     )
     select count(*)::int as count,
       extract(epoch from max(processed_at) - min(placed_at))::float8 as total,
       (count(*) filter (where processed_at > first))::int as later,
       extract(epoch from max(processed_at) - min(processed_at))::float8 as drain,
       percentile_cont(0.5) within group (order by s)::float8 as median,
       percentile_cont(0.95) within group (order by s)::float8 as p95,
       percentile_cont(0.99) within group (order by s)::float8 as p99,
       (select count(*) from t)::int as transactions,
       (select count(distinct block_number) from t)::int as blocks,
       -- The receipts of the newest transactions may not be read yet.
       (select sum(gas_used) / sum(items) from t where gas_used is not null)::float8 as gas
     from o`,
    [since],
  );
  return rows[0] as OrderFigures;
}
