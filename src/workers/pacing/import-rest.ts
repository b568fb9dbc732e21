import { bankImportLock, isHeld } from '../../ledger/advisory-locks.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Shorter looks are no burden. */
const quickLookMs = 50;

/** Of five seconds, looks in vain take one at most. */
const restFactor = 4;

/** A look may also be long because the database stood still; what became ready meanwhile waits no longer than this. */
const longestRestMs = 5_000;

/** When work is looked for again. */
export interface ImportRest {
  /** Milliseconds until the rest is over; 0 while it does not rest. */
  leftMs(): number;
  /** A look that took so many milliseconds found nothing. */
  lookedInVain(tookMs: number): Promise<void>;
}

/**
 * Creates the rest from looks in vain while a bank file is imported. An import is one transaction, and an index is read past all that it has brought so far: past a
 * million legs in a third of a second, past their events in a second. So the pause after such a look is some times as long as it. `now` is in milliseconds.
 */
export function createImportRest(ledger: Ledger, now: () => number): ImportRest {
  let until = 0;
  return {
    leftMs: () => Math.max(0, until - now()),
    async lookedInVain(tookMs) {
      if (tookMs > quickLookMs && (await isHeld(ledger, bankImportLock))) until = now() + Math.min(restFactor * tookMs, longestRestMs);
    },
  };
}
