import type { Ledger } from '../ledger/ledger.ts';
import { reviewSimulated } from '../ledger/customers/profile-review.ts';
import { fillShares } from '../ledger/customers/profile-shares.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';

/** A sandbox decides within a second; two cheap look-ups of partial indexes twice a second cost nothing. */
const intervalMs = 500;

/** Profiles per turn: each is a transaction of its own. */
const batch = 100;

/** The simulated provider and the simulated review of the sandbox. In production people review: `mintrail profile review`. */
export function startProfileReview({ ledger, log }: { ledger: Ledger; log: Log }): Loop {
  const turn = async (): Promise<void> => {
    await fillShares(ledger, batch);
    for (const decided of await reviewSimulated(ledger, batch)) log.info(decided, 'profile reviewed');
  };
  return startLoop({ name: 'profile review', intervalMs, turn, log });
}
