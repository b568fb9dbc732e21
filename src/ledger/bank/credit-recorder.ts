import type { Actor } from '../../platform/acting.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { groupCalls } from '../../platform/limits/grouped-calls.ts';
import type { Ledger } from '../ledger.ts';
import { recordCredits, type RecordedCredit } from './credits.ts';
import type { NewCredit, RecordOptions } from './match-credits.ts';

/** Credits of one group: as many as of one block of a file. */
const largestGroup = 500;

/** Credits that wait at most: a second's work. */
const mostWaiting = 2_000;

/** A credit that arrives by itself, and who reports it: null when that is nobody whom the audit log names. */
export type SingleCredit = NewCredit & { reportedBy: Actor | null };

/**
 * Records credits that arrive one by one in groups: those that arrive while one group is recorded are the next one. A group is one statement, and one
 * commit. A killed process has recorded it whole or not at all. Throws `rate_limited` when too many wait, and `import_busy` when a report replaced one just now.
 */
export function createCreditRecorder(ledger: Ledger, options: RecordOptions): (credit: SingleCredit) => Promise<RecordedCredit> {
  return groupCalls((credits: SingleCredit[]) => recordCredits(ledger, credits, options), {
    mostItems: largestGroup,
    mostWaiting,
    concernsAll: isDatabaseOutage,
  });
}
