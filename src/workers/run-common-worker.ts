import { Registry } from 'prom-client';
import { createLedger } from '../ledger/ledger.ts';
import { statementConnection } from '../platform/postgres/connections.ts';
import { createPool } from '../platform/database.ts';
import { createLog } from '../platform/log.ts';
import type { Running } from '../platform/loop.ts';
import { addPoolMetrics } from '../platform/metrics/pool-metrics.ts';
import { registeredCounter } from '../platform/metrics/registered.ts';
import { createWaker, type Waker } from '../platform/queue/waker.ts';
import { openSealer } from '../platform/sealing.ts';
import type { Settings } from '../platform/settings.ts';
import { createAlarms } from './alarms.ts';
import { startBookRollForward } from './book-roll-forward.ts';
import { startReserveSamples } from './comparisons/reserve-samples.ts';
import { startBookComparisons } from './comparisons/book-comparisons.ts';
import { createInboxWatcher } from './inbox/inbox.ts';
import { startHeartbeat } from '../ledger/lanes/heartbeat-loop.ts';
import { createIbanWorker } from './ibans.ts';
import { startIdempotencySweep } from './idempotency-sweep.ts';
import { startMailDelivery } from './mails/mails.ts';
import { createPayoutWorker } from './payouts.ts';
import { startProblemWatch } from './problem-watch.ts';
import { startProfileReview } from './profile-review.ts';
import { startQueueCheck } from './queue-check.ts';
import { startBankMetrics } from './metrics/bank-metrics.ts';
import { startReserveMetrics } from './metrics/reserve-metrics.ts';
import { startRetention } from './retention.ts';
import { startSecretsCheck } from './secrets-check.ts';
import { startWarningWatch } from './warnings/warning-watch.ts';
import { createWebhookWorker } from './webhooks/webhooks.ts';

/** Runs the loops that belong to no network: IBANs, payments to the bank, the inbox, webhooks, mails, the balances of the book and checks. A waker that is passed is shared and not closed. Throws `invalid_settings`. */
export async function runCommonWorker(
  settings: Settings,
  {
    registry = new Registry(),
    waker: sharedWaker,
    poolSize = settings.databasePoolSize,
  }: { registry?: Registry; waker?: Waker; poolSize?: number } = {},
): Promise<Running> {
  const log = createLog(settings.logLevel, { process: 'worker', common: true });
  const sealer = openSealer(settings);
  const waker = sharedWaker ?? createWaker(settings, log, registry);
  const pool = createPool({ ...statementConnection(settings), max: poolSize, log, name: 'mintrail worker common' });
  addPoolMetrics(registry, 'common', pool);
  const ledger = createLedger(pool, waker, settings.quotas);
  const alarms = createAlarms(log);
  const { bankInbox } = settings;
  const bankFiles = registeredCounter(registry, 'mintrail_bank_files_total');
  for (const result of ['imported', 'refused']) bankFiles.inc({ direction: 'in', result }, 0);
  bankFiles.inc({ direction: 'out', result: 'written' }, 0);
  const payouts = createPayoutWorker({
    settings,
    ledger,
    log,
    waker,
    alarms,
    onFile: () => bankFiles.inc({ direction: 'out', result: 'written' }),
  });
  const parts: Running[] = [
    createIbanWorker({ settings, ledger, log, waker }),
    payouts,
    ...(bankInbox === undefined
      ? []
      : [
          createInboxWatcher({
            settings: { ...settings, bankInbox },
            ledger,
            log,
            alarms,
            onFile: (result) => bankFiles.inc({ direction: 'in', result }),
          }),
        ]),
    ...(settings.environment === 'sandbox' ? [startProfileReview({ ledger, log })] : []),
    createWebhookWorker({ settings, ledger, sealer, log, registry }),
    startSecretsCheck({ ledger, sealer, log, alarms }),
    // Queues in the ledger's own database are there as long as it is.
    ...(settings.redisUrl === undefined ? [] : [startQueueCheck({ waker, log, alarms })]),
    startWarningWatch({ settings, ledger, registry, log, alarms }),
    startMailDelivery({ settings, ledger, sealer, log, alarms, waker }),
    startBookRollForward({ ledger, log }),
    startIdempotencySweep({ settings, ledger, log }),
    startRetention({ settings, ledger, log, registry }),
    ...startBookComparisons({ settings, ledger, log, registry }),
    startReserveSamples({ ledger, log }),
    startReserveMetrics({ ledger, log, registry }),
    startBankMetrics({ ledger, log, registry }),
    startProblemWatch({ settings, ledger, log, registry }),
    startHeartbeat({
      ledger,
      log,
      component: 'common',
      chain: '',
      facts: () => ({ ok: true, alarms: alarms.list(), canPay: payouts.canPay() }),
    }),
  ];
  return {
    async close() {
      await Promise.all(parts.map((part) => part.close()));
      if (!sharedWaker) await waker.close();
      await ledger.destroy();
    },
  };
}
