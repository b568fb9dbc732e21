import { createIsoRail } from '../bank/iso20022/pain/rail.ts';
import type { Rail } from '../bank/rail.ts';
import { createSandboxRail } from '../bank/sandbox-rail.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { takePaymentBatch, writeNextFile } from '../ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../ledger/bank/payment-legs.ts';
import { payoutQueue } from '../ledger/wake-ups.ts';
import { isDatabaseOutage } from '../platform/database.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Running, startLoop } from '../platform/loop.ts';
import type { Waker } from '../platform/queue/waker.ts';
import type { Settings } from '../platform/settings.ts';
import { recordSpan } from '../platform/tracing/spans.ts';
import { mostTracedOrders, tracesOf } from '../ledger/orders/traces/order-traces.ts';
import type { Alarms } from './alarms.ts';

/** What the worker that makes payments needs. `sweepIntervalMs` is the longest time between two passes; by default {@link sweepIntervalsMs}. */
export interface PayoutWorkerDependencies {
  settings: Settings;
  ledger: Ledger;
  log: Log;
  waker: Pick<Waker, 'listen'>;
  alarms: Pick<Alarms, 'raise' | 'clear'>;
  /** Called with each payment file that is written. */
  onFile?: (() => void) | undefined;
  sweepIntervalMs?: number | undefined;
}

/** A worker that makes payments. */
export interface PayoutWorker extends Running {
  /** Whether a payment would leave now: the rail is set, and at the last look it could be reached and no file waited that could not be written. */
  canPay(): boolean;
}

/**
 * Between two sweeps: while payments wait for others or a file could not be written, and while nothing waits, to find what no wake-up came for and whether the rail can be
 * reached.
 */
const sweepIntervalsMs = { waiting: 1_000, idle: 5_000 };

/** Legs locked at once: short transactions, so that several workers share the work. */
const legsAtOnce = 500;

/**
 * Sends the money of ready legs, and of credits that an operator returns, through the bank's rail. Throws
 * `invalid_settings` at the start for settings that contradict themselves; with none for the rail of files it only
 * warns, and payments wait.
 */
export function createPayoutWorker(dependencies: PayoutWorkerDependencies): PayoutWorker {
  const { settings, ledger, log, waker, alarms, onFile, sweepIntervalMs } = dependencies;
  const rail = createRail(settings);
  if (rail === undefined) {
    log.warn('payments to the bank wait: BANK_OUTBOX, BANK_ACCOUNT and BANK_ACCOUNT_NAME are not set');
    return { async close() {}, canPay: () => false };
  }
  const payOut = createPayoutTurn({ rail, ledger, log, onFile });
  let canPay = false;
  const loop = startLoop({
    name: 'payouts',
    intervalMs: sweepIntervalMs ?? sweepIntervalsMs.idle,
    wokenBy: [(wake) => waker.listen(payoutQueue, wake)],
    log,
    async turn() {
      const { failure, areWaiting } = await payOut();
      canPay = failure === undefined && (await rail.isReachable());
      if (canPay) alarms.clear('bank_outbox_unusable', 'outbox');
      else alarms.raise('bank_outbox_unusable', 'outbox', outboxText(settings, failure));
      return areWaiting || !canPay ? (sweepIntervalMs ?? sweepIntervalsMs.waiting) : undefined;
    },
  });
  return { close: () => loop.close(), canPay: () => canPay };
}

/** The rail that the settings name; `undefined` for the rail of files when nothing is set for it. */
function createRail(settings: Settings): Rail | undefined {
  if (settings.bankRail === 'sandbox') return createSandboxRail(settings);
  const fileSettings = [settings.bankOutbox, settings.bankAccounts[0], settings.bankAccountName];
  return fileSettings.every((value) => value === undefined) ? undefined : createIsoRail(settings);
}

interface PayoutTurnDependencies {
  rail: Rail;
  ledger: Ledger;
  log: Log;
  onFile?: (() => void) | undefined;
}

function outboxText({ bankOutbox }: Settings, failure: string | undefined): string {
  const why = failure === undefined ? '' : ` (${failure})`;
  return `BANK_OUTBOX, ${bankOutbox}, cannot be written to, or is nearly full${why}: payments wait, and redemptions to a bank are answered with 503`;
}

/** What a turn has left. */
interface PayoutTurn {
  /** Why a file cannot be written; undefined when none waits for that. */
  failure: string | undefined;
  /** Whether there are payments that are not due yet. */
  areWaiting: boolean;
}

/**
 * One turn of the worker: makes payments of ready legs, hands them to the rail in batches, and writes the files that are recorded.
 */
export function createPayoutTurn({ rail, ledger, log, onFile }: PayoutTurnDependencies): () => Promise<PayoutTurn> {
  let outboxError: string | undefined;

  async function deliver(): Promise<void> {
    try {
      for (;;) {
        const name = await writeNextFile(ledger, rail);
        if (name === undefined) break;
        onFile?.();
        log.info({ file: name }, 'payment file written');
      }
      outboxError = undefined;
    } catch (error) {
      if (isDatabaseOutage(error)) throw error;
      const code = (error as NodeJS.ErrnoException).code ?? messageOf(error);
      // Once, not every second: it stays so until the operator mends the folder.
      if (code !== outboxError)
        log.error({ err: messageOf(error) }, 'a payment file cannot be written to BANK_OUTBOX; it is tried again every second');
      outboxError = code;
    }
  }

  return async () => {
    const duties = await makePaymentsOfLegs(ledger, legsAtOnce);
    for (let { made } = duties; made === legsAtOnce;) ({ made } = await makePaymentsOfLegs(ledger, legsAtOnce));
    let hasFiles = duties.files;
    let hasMore = duties.payments;
    while (hasMore) {
      const startedAt = Date.now();
      const batch = await takePaymentBatch(ledger, rail);
      if (batch === undefined) break;
      const { payments, orders, sent, decided, file } = batch;
      ({ hasMore } = batch);
      hasFiles ||= file !== null;
      const counts = { payments: payments.length, sent, decided: decided.ids.length, orders: decided.orders.length };
      for (let from = 0; from < payments.length; from += mostTracedOrders) {
        const traces = tracesOf(orders.slice(from, from + mostTracedOrders));
        log.info({ ...counts, file, ...traces }, 'payments handed to the bank');
        const attributes = { 'mintrail.payment_file': file ?? undefined };
        for (const subject of traces.orderIds) recordSpan({ subject, name: 'hand payment to the bank', startedAt, attributes });
      }
    }
    if (hasFiles) await deliver();
    else outboxError = undefined;
    return { failure: outboxError, areWaiting: hasMore };
  };
}
