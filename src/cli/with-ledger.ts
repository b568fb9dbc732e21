import { createLedger, type Ledger } from '../ledger/ledger.ts';
import { statementConnection } from '../platform/postgres/connections.ts';
import { createPool } from '../platform/database.ts';
import { StopError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { startTracing } from '../platform/tracing/start-tracing.ts';
import { createWaker } from '../platform/queue/waker.ts';
import { cliSettings } from './cli-settings.ts';

/**
 * Opens the ledger of the settings for `work`, and closes it afterwards. What the work does is in the traces of its orders, where a collector is set.
 * Throws `invalid_settings`, and `not_migrated` when tables are missing.
 */
export async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const settings = cliSettings();
  // Wake-ups spare a second of waiting; where they fail the sweeps find the work, so the operator need not know.
  const waker = createWaker(settings, createLog('silent'));
  const tracing = await startTracing(settings, 'command');
  const ledger = createLedger(createPool({ ...statementConnection(settings), max: 4, name: 'mintrail command' }), waker, settings);
  try {
    return await work(ledger);
  } catch (error) {
    const { code } = error as { code?: string };
    // 42P01: no such table, 42703: no such column.
    if (code === '42P01' || code === '42703')
      throw new StopError({ code: 'not_migrated', message: 'The tables are of another version: run `mintrail migrate`', cause: error });
    throw error;
  } finally {
    await ledger.destroy();
    await waker.close();
    await tracing?.close();
  }
}
