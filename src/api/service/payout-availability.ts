import { hasPayingWorker } from '../../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { RetryError } from '../../platform/errors.ts';
import type { Settings } from '../../platform/settings.ts';
import type { PayoutOutage } from '../api.ts';

/**
 * Longer than the common worker takes to be replaced by another version, or to be started again after a crash: what is burned meanwhile is paid then. One
 * that stays away longer needs a person, and nothing more is burned for a bank until it is back.
 */
const payerAwaySeconds = 600;

/** How long an answer counts: the orders of a busy API do not ask one by one. */
const answerMs = 2_000;

/**
 * What burns must be able to pay. Whether it is, only the common worker knows, which has the bank's settings and its outbox: it says so in its heartbeat. The
 * API neither needs these settings nor trusts its own. A rail that is simulated is always there.
 */
export function createPayoutOutage({ ledger, settings, now = Date.now }: PayoutOutageDependencies): PayoutOutage {
  if (settings.bankRail === 'sandbox') return async () => undefined;
  let answer: { at: number; canPay: Promise<boolean> } | undefined;
  return async () => {
    if (answer === undefined || now() - answer.at >= answerMs) answer = { at: now(), canPay: hasPayingWorker(ledger, payerAwaySeconds) };
    const current = answer;
    const canPay = await current.canPay.catch((error: unknown) => {
      if (answer === current) answer = undefined;
      throw error;
    });
    return canPay ? undefined : payoutsUnavailable();
  };
}

/** What {@link createPayoutOutage} works with; `now` is the time in milliseconds. */
export interface PayoutOutageDependencies {
  ledger: Ledger;
  settings: Pick<Settings, 'bankRail'>;
  now?: () => number;
}

function payoutsUnavailable(): RetryError {
  return new RetryError({
    code: 'payouts_unavailable',
    message: 'No payment to a bank account can be made now, so nothing is burned for it. Try again later.',
  });
}
