import type { Pool } from 'pg';

/** Keeps the texts of what the connections of a pool send from now on, in its order; the pool must have none yet. What is counted is messages: each is a round trip, where the next waits for its answer. */
export function keepSent(pool: Pool): string[] {
  const sent: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    client.query = ((statement: string | { text: string }, ...rest: unknown[]) => {
      sent.push(typeof statement === 'string' ? statement : statement.text);
      return query(statement, ...rest);
    }) as typeof client.query;
  });
  return sent;
}
