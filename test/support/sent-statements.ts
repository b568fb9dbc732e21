import type { Pool } from 'pg';

/** Keeps what the connections of a pool send from now on, in its order; the pool must have none yet. What is counted is messages: each is a round trip, where the next waits for its answer. */
export function keepSent(pool: Pool): unknown[] {
  const sent: unknown[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    client.query = ((text: unknown, ...rest: unknown[]) => {
      sent.push(text);
      return query(text, ...rest);
    }) as typeof client.query;
  });
  return sent;
}
