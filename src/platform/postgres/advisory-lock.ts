import type { Pool } from 'pg';

/** An advisory lock of PostgreSQL. It is held until it is released or its connection is lost. */
export interface AdvisoryLock {
  /** Aborted when the connection is lost, and the lock with it. It is verified every few seconds, so that the holder knows before another can take the lock. */
  lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * How often the connection of a held lock is verified, and how long an answer may take. Together they are less than the time after which PostgreSQL ends the
 * connection of a holder that is silent, such as a frozen process, and the 25 seconds after which it gives up a machine that is gone (src/platform/database.ts).
 */
const verifyIntervalMs = 5_000;
const verification = { text: 'select 1', query_timeout: 5_000 };
const silentMs = 15_000;

/**
 * Takes the lock of a name; undefined when another process holds it. A process that is frozen loses it as one that has ended. No connection of `directPool` may lead
 * through a pooler.
 */
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
    await client.query(`set idle_session_timeout = ${silentMs}`);
  } catch (error) {
    client.release(true);
    throw error;
  }
  const verifying = setInterval(() => void client.query(verification).catch(onError), verifyIntervalMs).unref();
  lost.signal.addEventListener('abort', () => clearInterval(verifying));
  return {
    lost: lost.signal,
    async release() {
      clearInterval(verifying);
      // Closing the connection releases the lock even when the unlock statement could not be sent.
      client.release(true);
    },
  };
}
