import type { Ledger } from '../ledger/ledger.ts';
import { hasSimulatedWork, reviewSimulated } from '../ledger/customers/profile-review.ts';
import { fillShares } from '../ledger/customers/profile-shares.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';

/** A sandbox decides within a second or so. */
const intervalMs = 1_000;

/** Profiles in one turn, each in a transaction of its own. */
const batchSize = 100;

/** The simulated provider and the simulated review of the sandbox. In production people review: `mintrail profile review`. */
export function startProfileReview({ ledger, log }: { ledger: Ledger; log: Log }): Loop {
  const turn = async (): Promise<void> => {
    if (!(await hasSimulatedWork(ledger))) return;
    await fillShares(ledger, batchSize);
    for (const decided of await reviewSimulated(ledger, batchSize)) log.info(decided, 'profile reviewed');
  };
  return startLoop({ name: 'profile review', intervalMs, turn, log });
}
