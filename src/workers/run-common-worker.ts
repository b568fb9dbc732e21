import { Registry } from 'prom-client';
import { beat } from '../ledger/lanes/heartbeats.ts';
import type { LedgerTables } from '../ledger/tables.ts';
import { createDatabase, createPool } from '../platform/database.ts';
import { createLog } from '../platform/log.ts';
import { startLoop } from '../platform/loop.ts';
import { createWaker } from '../platform/queue.ts';
import type { Running } from '../platform/running.ts';
import type { Settings } from '../platform/settings.ts';
import { createInboxWatcher } from './inbox/inbox.ts';
import { heartbeatInterval } from './heartbeat-interval.ts';
import { createIbanWorker } from './ibans.ts';
import { startIdempotencySweep } from './idempotency-sweep.ts';
import { createPayoutWorker } from './payouts.ts';
import { startProfileReview } from './profile-review.ts';
import { startReserveCheck } from './reserve-check.ts';
import { createWebhookWorker } from './webhooks/webhooks.ts';

/** Runs the queues that belong to no network. */
export async function runCommonWorker(settings: Settings, registry = new Registry()): Promise<Running> {
  const log = createLog(settings.logLevel, { process: 'worker', common: true });
  const ledger = createDatabase<LedgerTables>(
    createPool({ connectionString: settings.databaseUrl, max: settings.databasePoolSize, log, name: 'mintrail worker common' }),
  );
  const waker = createWaker(settings, log);
  const { bankInbox } = settings;
  const parts: Running[] = [
    createIbanWorker({ settings, ledger, log }),
    createPayoutWorker({ settings, ledger, log }),
    ...(bankInbox === undefined ? [] : [createInboxWatcher({ settings: { ...settings, bankInbox }, ledger, waker, log })]),
    ...(settings.environment === 'sandbox' ? [startProfileReview({ ledger, log })] : []),
    createWebhookWorker({ settings, ledger, log, registry }),
    startIdempotencySweep({ ledger, log }),
    startReserveCheck({ settings, ledger, log, registry }),
    startLoop({ name: 'heartbeat', interval: heartbeatInterval, log, turn: () => beat(ledger, 'common', '', { ok: true }) }),
  ];
  return {
    async close() {
      await Promise.all(parts.map((part) => part.close()));
      await waker.close();
      await ledger.destroy();
    },
  };
}
