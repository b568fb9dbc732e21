import type { DisregardedOutcome } from '../ledger/lanes/decided-legs.ts';
import type { Alarms } from './alarms.ts';
import type { Proof } from './proven-outcomes.ts';

/** Transactions in which the chain does not have what the index shows. */
export type UnprovenTransactions = Extract<Proof, { state: 'complete' }>['unproven'];

/** What the operator is told of outcomes that settle nothing. Each call replaces what the last one said. */
export interface OutcomeAlarms {
  /** The chain does not have what the index shows. Raised when it lasts. */
  unproven(transactions: UnprovenTransactions): void;
  /** Outcomes of messages of open legs that decide nothing. */
  disregarded(outcomes: readonly DisregardedOutcome[]): void;
}

/** A node that has not caught up, or an index that corrects itself, needs nobody. */
const unprovenAlarmAfterMs = 60_000;

/** Creates the alarms; `now` is the time in milliseconds. */
export function createOutcomeAlarms(alarms: Alarms, now: () => number): OutcomeAlarms {
  let unprovenSince = new Map<string, number>();
  let disregarded = new Set<string>();
  return {
    unproven(transactions) {
      const seen = new Map(transactions.map(({ txHash }) => [txHash, unprovenSince.get(txHash) ?? now()]));
      for (const txHash of unprovenSince.keys()) if (!seen.has(txHash)) alarms.clear('outcome_disagrees', txHash);
      unprovenSince = seen;
      const remedy =
        'Its legs stay open. Check that the endpoints keep receipts, then let `mintrail indexer --chain NAME` read the chain anew';
      for (const { txHash, text } of transactions)
        if (now() - (seen.get(txHash) ?? 0) >= unprovenAlarmAfterMs)
          alarms.raise('outcome_disagrees', txHash, `The transaction ${txHash}: ${text}. ${remedy}`);
    },
    disregarded(outcomes) {
      const current = new Set(outcomes.map(({ legId }) => legId));
      for (const legId of disregarded) if (!current.has(legId)) alarms.clear('outcome_disagrees', legId);
      for (const outcome of outcomes) alarms.raise('outcome_disagrees', outcome.legId, describe(outcome));
      disregarded = current;
    },
  };
}

function describe({ why, txHash, orderId, refused, amount }: DisregardedOutcome): string {
  if (why === 'other amount')
    return `The transaction ${txHash} burnt ${amount} token units for a message whose order has another amount. Its leg stays open: look into it`;
  return (
    `The transaction ${txHash} had a message refused (${refused}), under the order id ${orderId}. It is not ours, so the refusal does not count. ` +
    'Somebody else has an operator key: revoke the operator role of its sender'
  );
}
