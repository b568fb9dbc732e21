import { createLedger, type Ledger } from '../ledger/ledger.ts';
import type { LedgerWaker } from '../ledger/wake-ups.ts';
import { statementConnection } from '../platform/postgres/connections.ts';
import { createPool } from '../platform/database.ts';
import { StopError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { startTracing } from '../platform/tracing/start-tracing.ts';
import type { Running } from '../platform/loop.ts';
import type { QueueSettings } from '../platform/queue/backend.ts';
import { cliSettings } from './cli-settings.ts';

/**
 * Opens the ledger of the settings for `work`, and closes it afterwards. What the work does is in the traces of its orders, where a collector is set.
 * Throws `invalid_settings`, and `not_migrated` when tables are missing.
 */
export async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const settings = cliSettings();
  const waker = createLazyWaker(settings);
  const tracing = await startTracing(settings, 'command');
  const ledger = createLedger(createPool({ ...statementConnection(settings), max: 4, name: 'mintrail command' }), waker, settings.quotas);
  try {
    return await work(ledger);
  } catch (error) {
    const { code } = error as { code?: string };
    // 42P01: no such table, 42703: no such column.
    if (code === '42P01' || code === '42703')
      throw new StopError({
        code: 'not_migrated',
        message:
          'The tables are of another version, or a pooler does not find them: run `mintrail migrate`, and then let the pooler reconnect',
        cause: error,
      });
    throw error;
  } finally {
    await ledger.destroy();
    await waker.close();
    await tracing?.close();
  }
}

/**
 * Loads the queues at the first wake-up: that takes longer than the whole rest of a command that only reads. Wake-ups spare a second of waiting; where they
 * fail the sweeps find the work, so the operator need not know.
 */
function createLazyWaker(settings: QueueSettings): LedgerWaker & Running {
  let opening: Promise<LedgerWaker & Running> | undefined;
  const open = async () => (await import('../platform/queue/waker.ts')).createWaker(settings, createLog('silent'));
  return {
    wake: (queue) => void (opening ??= open()).then((waker) => waker.wake(queue)),
    close: async () => (await opening)?.close(),
  };
}
