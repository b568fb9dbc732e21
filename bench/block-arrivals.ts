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
