import type { Pool } from 'pg';

/** An advisory lock of PostgreSQL. It is held until it is released or its connection is lost. */
export interface AdvisoryLock {
  /** Aborted when the connection is lost, and the lock with it. */
  lost: AbortSignal;
  release(): Promise<void>;
}

/** Takes the lock of a name; undefined when another process holds it. No connection of `directPool` may lead through a pooler. */
export async function tryAdvisoryLock(directPool: Pool, name: string): Promise<AdvisoryLock | undefined> {
  const client = await directPool.connect();
  const lost = new AbortController();
  const onError = () => lost.abort();
  client.on('error', onError);
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name]);
    if (!rows[0]?.held) {
      client.off('error', onError);
      client.release();
      return undefined;
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  return {
    lost: lost.signal,
    async release() {
      // Closing the connection releases the lock even when the unlock statement could not be sent.
      client.release(true);
    },
  };
}
