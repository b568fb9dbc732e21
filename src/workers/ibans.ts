import { createIbanRange } from '../bank/iban-range.ts';
import { approveIbans, assignIbanNumbers, hasRequestedIbans } from '../ledger/customers/ibans.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { ibanQueue } from '../ledger/wake-ups.ts';
import { StopError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Running, startLoop } from '../platform/loop.ts';
import type { Waker } from '../platform/queue/waker.ts';
import type { Settings } from '../platform/settings.ts';

/** What the worker that assigns IBANs needs. */
export interface IbanWorkerDependencies {
  settings: Settings;
  ledger: Ledger;
  log: Log;
  waker: Pick<Waker, 'listen'>;
}

/** Between two sweeps: so long does a customer wait when a wake-up was lost. */
const sweepIntervalMs = 5_000;

/** Rows locked at once: short transactions, so that several workers share the work. */
const batchSize = 100;

/**
 * Assigns requested IBANs (docs/api.md, IBANs). Throws `invalid_settings` at the start when
 * the settings cannot make one.
 */
export function createIbanWorker({ settings, ledger, log, waker }: IbanWorkerDependencies): Running {
  const range = createIbanRange(settings);
  const { bankBic: bic } = settings;
  if (bic === undefined) throw new StopError({ code: 'invalid_settings', message: 'BANK_BIC must be set to assign IBANs' });
  const turn = async (): Promise<void> => {
    if (!(await hasRequestedIbans(ledger))) return;
    await drain(() => assignIbanNumbers(ledger, { compose: range.compose, bic, limit: batchSize }));
    // A later rail may let the bank approve; here the range is the operator's own, so what has a number is approved.
    await drain(async () => {
      const approved = await approveIbans(ledger, batchSize);
      for (const { id, profile, correlationId } of approved) log.info({ ibanId: id, profile, correlationId }, 'IBAN assigned');
      return approved.length;
    });
  };
  return startLoop({ name: 'ibans', intervalMs: sweepIntervalMs, wokenBy: [(wake) => waker.listen(ibanQueue, wake)], turn, log });
}

/** Repeats a step until it handles less than a full batch. */
async function drain(step: () => Promise<number>): Promise<void> {
  while ((await step()) === batchSize);
}
