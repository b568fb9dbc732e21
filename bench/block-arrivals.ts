import type { Pool } from 'pg';
import { percentile } from './percentiles.ts';

/** When each block of a node arrived, in milliseconds since 1970. */
export interface BlockArrivals {
  /** Ends the subscription and returns the arrivals by the number of the block. */
  stop(): ReadonlyMap<number, number>;
}

/** Notes when the node announces each of its blocks. */
export async function watchBlocks(rpcUrl: string): Promise<BlockArrivals> {
  const arrivals = new Map<number, number>();
  const socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`${rpcUrl} takes no subscription`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: { number: string } } };
    if (params) arrivals.set(Number(params.result.number), Date.now());
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  return {
    stop() {
      socket.close();
      return arrivals;
    },
  };
}

/**
 * The 95th percentiles of what a paid redemption goes through, in milliseconds: from the block of its burn to the settled burn, from there to its payment,
 * and from there to its state `processed`. All of them are the starts of database transactions.
 */
export async function settlingStages(pool: Pool, since: Date, arrivals: ReadonlyMap<number, number>): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ block: number; settled: number; paid: number; processed: number }>(
    `select l.block_number::int as block, (extract(epoch from l.done_at) * 1000)::float8 as settled,
       (extract(epoch from p.created_at) * 1000)::float8 as paid, (extract(epoch from o.processed_at) * 1000)::float8 as processed
     from orders o join legs l on l.order_id = o.id and l.kind = 'redeem' join legs y on y.order_id = o.id and y.kind = 'payout' join payments p on p.leg = y.id
     where o.placed_at >= $1 and o.state = 'processed'`,
    [since],
  );
  const inBlocks = rows.flatMap(({ block, ...times }) => {
    const arrived = arrivals.get(block);
    return arrived === undefined ? [] : [{ arrived, ...times }];
  });
  const within = (time: (row: (typeof inBlocks)[number]) => number) => percentile(inBlocks.map(time), 0.95);
  return {
    'block → burn settled': within(({ arrived, settled }) => settled - arrived),
    'burn settled → payment made': within(({ settled, paid }) => paid - settled),
    'payment made → processed': within(({ paid, processed }) => processed - paid),
  };
}

/** What a credit goes through until its order is processed, in milliseconds: the median and the 95th percentile of each stage. */
type CreditStages = Record<string, { median: number; p95: number }>;

/**
 * The stages of credits: until their transaction is recorded, which is just before it is sent; until its block arrived; and until the order is processed. `missed` is
 * the share whose transaction is in a later block than the first one after the credit, in percent.
 */
export async function creditStages(
  pool: Pool,
  since: Date,
  arrivals: ReadonlyMap<number, number>,
): Promise<{ stages: CreditStages; missed: number }> {
  const { rows } = await pool.query<{ placed: number; recorded: number; processed: number; block: number }>(
    `select (extract(epoch from o.placed_at) * 1000)::float8 as placed, (extract(epoch from t.created_at) * 1000)::float8 as recorded,
       (extract(epoch from o.processed_at) * 1000)::float8 as processed, l.block_number::int as block
     from orders o join legs l on l.order_id = o.id and l.kind = 'issue' join transactions t on t.id = l.transaction
     where o.placed_at >= $1 and o.state = 'processed'`,
    [since],
  );
  const credits = rows.flatMap((row) => {
    const arrived = arrivals.get(row.block);
    return arrived === undefined ? [] : [{ ...row, arrived }];
  });
  const stage = (time: (credit: (typeof credits)[number]) => number) => {
    const times = credits.map(time);
    return { median: percentile(times, 0.5), p95: percentile(times, 0.95) };
  };
  const late = credits.filter(({ placed, block }) => (arrivals.get(block - 1) ?? 0) > placed);
  return {
    stages: {
      'credit → transaction recorded': stage(({ placed, recorded }) => recorded - placed),
      'transaction recorded → its block': stage(({ recorded, arrived }) => arrived - recorded),
      'its block → processed': stage(({ arrived, processed }) => processed - arrived),
    },
    missed: (100 * late.length) / credits.length,
  };
}

/** The 95th percentile of the time from the block of an order's mint or burn to its state `processed`, in milliseconds. The sandbox waits for no confirmations. */
export async function settledWithin(pool: Pool, since: Date, arrivals: ReadonlyMap<number, number>): Promise<number> {
  const { rows } = await pool.query<{ processed: number; block: number }>(
    `select (extract(epoch from o.processed_at) * 1000)::float8 as processed, max(l.block_number)::int as block
     from orders o join legs l on l.order_id = o.id where o.placed_at >= $1 and o.state = 'processed' and l.block_number is not null group by o.id`,
    [since],
  );
  const times = rows.flatMap(({ processed, block }) => {
    const arrived = arrivals.get(block);
    return arrived === undefined ? [] : [processed - arrived];
  });
  return percentile(times, 0.95);
}
