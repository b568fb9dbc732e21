import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type CountAt, tenths } from './percentiles.ts';

/** Figures of the orders that were placed since a time. Times are in seconds. */
export interface OrderFigures {
  count: number;
  /** From the first placed to the last processed. */
  total: number;
  /** Orders that were processed after those of the first block, per second. */
  rate: number;
  /** The same of the first and the last tenth of those. */
  firstTenth: number;
  lastTenth: number;
  median: number;
  p95: number;
  p99: number;
  transactions: number;
  /** Blocks that have one of the transactions. */
  blocks: number;
  legsPerTransaction: number;
  /** Transactions for each block and each lane that has one in it. */
  transactionsPerBlockAndLane: number;
  /** Gas per leg. */
  gas: number;
  /** Blocks with their gas, from the first to the last one with one of the transactions. */
  firstBlock: number;
  lastBlock: number;
}

/** The time by the database's clock, by which orders are timed. */
export async function now(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now as Date;
}

/** Between two looks. Each steps over the index entries of orders that have ended since the last vacuum. */
const lookMs = 500;

/** Orders that wait this long without any of them being processed are stuck. */
const stuckMs = 60_000;

/** Waits until no order is open, after at least `count` have been placed since a time. Throws when nothing is processed any more. */
export async function allProcessed(pool: Pool, { since = new Date(), count = 0 } = {}): Promise<void> {
  let before = '';
  for (let movedAt = Date.now(); (await hasOpenOrders(pool)) || (await placedSince(pool, since)) < count; await delay(lookMs)) {
    if (Date.now() - movedAt < stuckMs) continue;
    const present = await newestPosition(pool);
    if (present === before) throw new Error(await unprocessed(pool));
    [before, movedAt] = [present, Date.now()];
  }
}

/** Changes as long as orders end. To count a million orders would take the database seconds, in the midst of a measurement. */
async function newestPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('select last_value::text as position from event_positions');
  return rows[0]?.position ?? '';
}

async function unprocessed(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ open: number; placed: number }>(
    'select count(*)::int as open, (select count(*)::int from orders) as placed from open_orders',
  );
  return `${rows[0]?.open} orders are not processed, of ${rows[0]?.placed}`;
}

async function placedSince(pool: Pool, since: Date): Promise<number> {
  const { rows } = await pool.query<{ placed: number }>('select count(*)::int as placed from orders where placed_at >= $1', [since]);
  return rows[0]?.placed ?? 0;
}

async function hasOpenOrders(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ open: boolean }>('select exists (select from open_orders) as open');
  return rows[0]?.open ?? false;
}

/** Reads the figures of the orders that were placed since a time. */
export async function readFigures(pool: Pool, since: Date): Promise<OrderFigures> {
  const [orders, transactions, steps] = await Promise.all([
    orderTimes(pool, since),
    transactionFigures(pool, since),
    countByBlock(pool, since),
  ]);
  const [first, last] = [steps[0], steps.at(-1)] as [CountAt | undefined, CountAt | undefined];
  const rate = first && last && steps.length > 1 ? (last.count - first.count) / (last.seconds - first.seconds) : Number.NaN;
  const ends = tenths(steps);
  return { ...orders, ...transactions, rate, firstTenth: ends.first, lastTenth: ends.last };
}

async function orderTimes(pool: Pool, since: Date): Promise<Pick<OrderFigures, 'count' | 'total' | 'median' | 'p95' | 'p99'>> {
  const { rows } = await pool.query<Pick<OrderFigures, 'count' | 'total' | 'median' | 'p95' | 'p99'>>(
    `with o as (
       select placed_at, processed_at, extract(epoch from processed_at - placed_at) as s from orders where placed_at >= $1 and state = 'processed'
     )
     select count(*)::int as count,
       extract(epoch from max(processed_at) - min(placed_at))::float8 as total,
       percentile_cont(0.5) within group (order by s)::float8 as median,
       percentile_cont(0.95) within group (order by s)::float8 as p95,
       percentile_cont(0.99) within group (order by s)::float8 as p99
     from o`,
    [since],
  );
  return rows[0] as OrderFigures;
}

async function transactionFigures(pool: Pool, since: Date) {
  const { rows } = await pool.query<
    Pick<
      OrderFigures,
      'transactions' | 'blocks' | 'legsPerTransaction' | 'transactionsPerBlockAndLane' | 'gas' | 'firstBlock' | 'lastBlock'
    >
  >(
    `with t as (
       select t.signer, t.gas_used, t.block_number, (select count(*) from legs l where l.transaction = t.id) as legs from transactions t where t.created_at >= $1
     )
     select count(*)::int as transactions,
       count(distinct block_number)::int as blocks,
       avg(legs)::float8 as "legsPerTransaction",
       (count(*)::float8 / nullif(count(distinct (block_number, signer)), 0)) as "transactionsPerBlockAndLane",
       -- The receipts of the newest transactions may not be read yet.
       (sum(gas_used) filter (where gas_used is not null) / sum(legs) filter (where gas_used is not null))::float8 as gas,
       min(block_number)::int as "firstBlock",
       max(block_number)::int as "lastBlock"
     from t`,
    [since],
  );
  return rows[0] as OrderFigures;
}

/** How many orders were processed up to the time at which the last one of each block was. */
async function countByBlock(pool: Pool, since: Date): Promise<CountAt[]> {
  const { rows } = await pool.query<CountAt>(
    `with o as (
       select o.id, extract(epoch from o.processed_at)::float8 as at, (select max(l.block_number) from legs l where l.order_id = o.id) as block
       from orders o where o.placed_at >= $1 and o.state = 'processed'
     ), b as (select block, max(at) as at, count(*) as n from o where block is not null group by block)
     select max(at) over w as seconds, (sum(n) over w)::float8 as count from b window w as (order by block) order by block`,
    [since],
  );
  return rows;
}
