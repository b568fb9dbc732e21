import { createIsoRail } from '../bank/iso20022/pain/rail.ts';
import type { Rail } from '../bank/rail.ts';
import { createSandboxRail } from '../bank/sandbox-rail.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { takePaymentBatch, readPaymentDuties, writeNextFile } from '../ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../ledger/bank/payment-legs.ts';
import { payoutQueue } from '../ledger/wake-ups.ts';
import { isDatabaseOutage } from '../platform/database.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Running, startLoop } from '../platform/loop.ts';
import type { Waker } from '../platform/queue/waker.ts';
import type { Settings } from '../platform/settings.ts';
import { recordSpan } from '../platform/tracing/spans.ts';
import { mostTracedOrders, tracesOfPayments } from '../ledger/orders/traces/order-traces.ts';
import type { Alarms } from './alarms.ts';

/** What the worker that makes payments needs. `sweepIntervalMs` is the longest time between two passes. */
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

/** Between two sweeps, which find batches whose time to collect payments is over, files that could not be written, and what no wake-up came for. */
const defaultSweepIntervalMs = 1_000;

/** Legs locked at once: short transactions, so that several workers share the work. */
const legsAtOnce = 500;

/**
 * Sends the money of ready legs, and of credits that an operator returns, through the bank's rail. Throws
 * `invalid_settings` at the start for settings that contradict themselves; with none for the rail of files it only
 * warns, and payments wait.
 */
export function createPayoutWorker(dependencies: PayoutWorkerDependencies): PayoutWorker {
  const { settings, ledger, log, waker, alarms, onFile, sweepIntervalMs = defaultSweepIntervalMs } = dependencies;
  const rail = createRail(settings);
  if (rail === undefined) {
    log.warn('payments to the bank wait: BANK_OUTBOX, BANK_ACCOUNT and BANK_ACCOUNT_NAME are not set');
    return { async close() {}, canPay: () => false };
  }
  const payOut = createPayoutTurn({ rail, ledger, log, onFile });
  let canPay = false;
  const loop = startLoop({
    name: 'payouts',
    intervalMs: sweepIntervalMs,
    wokenBy: [(wake) => waker.listen(payoutQueue, wake)],
    log,
    async turn() {
      const failure = await payOut();
      canPay = failure === undefined && (await rail.isReachable());
      if (canPay) alarms.clear('bank_outbox_unusable', 'outbox');
      else alarms.raise('bank_outbox_unusable', 'outbox', outboxText(settings, failure));
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

/**
 * One turn of the worker: makes payments of ready legs, hands them to the rail in batches, and writes the files that are recorded. Its result is why a
 * file cannot be written; undefined when none waits for that.
 */
export function createPayoutTurn({ rail, ledger, log, onFile }: PayoutTurnDependencies): () => Promise<string | undefined> {
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
    const duties = await readPaymentDuties(ledger);
    if (duties.legs) while ((await makePaymentsOfLegs(ledger, legsAtOnce)) === legsAtOnce);
    let hasFiles = duties.files;
    for (let hasPayments = duties.legs || duties.payments; hasPayments; { payments: hasPayments } = await readPaymentDuties(ledger)) {
      const startedAt = Date.now();
      const batch = await takePaymentBatch(ledger, rail);
      if (batch === undefined) break;
      const { payments, sent, decided, file } = batch;
      hasFiles ||= file !== null;
      const counts = { payments: payments.length, sent, decided: decided.ids.length, orders: decided.orders.length };
      for (let from = 0; from < payments.length; from += mostTracedOrders) {
        const traces = await tracesOfPayments(ledger, payments.slice(from, from + mostTracedOrders));
        log.info({ ...counts, file, ...traces }, 'payments handed to the bank');
        const attributes = { 'mintrail.payment_file': file ?? undefined };
        for (const subject of traces.orderIds) recordSpan({ subject, name: 'hand payment to the bank', startedAt, attributes });
      }
    }
    if (hasFiles) await deliver();
    else outboxError = undefined;
    return outboxError;
  };
}
