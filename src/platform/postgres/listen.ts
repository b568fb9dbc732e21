import type { Pool, PoolClient } from 'pg';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Running } from '../loop.ts';

/** Pause before a lost connection is opened again. */
const reconnectPauseMs = 1_000;

/** Calls `onNotify` with the payload of each notification on a PostgreSQL channel. Notifications are lost while the connection is down, so callers also poll. */
export function listen(directPool: Pool, channel: string, onNotify: (payload: string) => void, log: Log): Running {
  let client: PoolClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  const state = { closed: false };

  const connect = async () => {
    try {
      const connected = await directPool.connect();
      connected.on('notification', ({ payload = '' }) => onNotify(payload));
      connected.on('error', () => reconnect(connected));
      client = connected;
      await connected.query(`listen "${channel}"`);
      if (state.closed) drop();
    } catch (error) {
      log.warn({ channel, err: messageOf(error) }, 'cannot listen; trying again');
      reconnect(client);
    }
  };
  const drop = () => {
    client?.release(true);
    client = undefined;
  };
  const reconnect = (lost: PoolClient | undefined) => {
    if (lost !== client) return;
    drop();
    if (!state.closed) timer = setTimeout(() => void connect(), reconnectPauseMs);
  };
  void connect();
  return {
    async close() {
      state.closed = true;
      clearTimeout(timer);
      drop();
    },
  };
}
