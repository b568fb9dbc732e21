import type { NewCredit } from '../../ledger/bank/match-credits.ts';
import type { LinkedCredit, ReplacedCredit } from '../../ledger/bank/reported-credits.ts';

/** What a reported entry changes in the ledger, after what earlier reports changed. */
export interface EntryPlan {
  /** Unmatched credits that `record` replaces; they go first. */
  replace: ReplacedCredit[];
  record: NewCredit[];
  /** Known credits that turn out to be part of this entry. */
  link: LinkedCredit[];
  /** Money the ledger has already. An alert says why an operator should look at it. */
  known: { credit: NewCredit; alert?: string }[];
  /** Why an operator should look at money that is recorded as a repeat. */
  alerts: { credit: NewCredit; alert: string }[];
}

/** A plan that changes nothing. */
export function emptyPlan(): EntryPlan {
  return { replace: [], record: [], link: [], known: [], alerts: [] };
}
