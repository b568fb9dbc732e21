import { endAcknowledgements, endBreach, recordBreach, updateBreach } from '../../ledger/reserve/breaches.ts';
import { type Comparison, type ComparisonSubject, subjectKey } from '../../ledger/reserve/comparison.ts';
import { recordComparisons } from '../../ledger/reserve/comparisons.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';

/** Records and judges the results of a comparison, and keeps the breaches as they show. */
export interface BreachWatch {
  /**
   * Takes the results of one turn. A difference that lasts opens a breach; one that is gone ends what was acknowledged of it. The `lasting` subjects keep their last
   * result while they have none.
   */
  judge(comparisons: readonly Comparison[], lasting?: readonly ComparisonSubject[]): Promise<void>;
}

/**
 * Turns in a row that must find the same difference before it counts. A reorganisation whose old blocks Ponder has removed and
 * whose new ones it has not read yet looks like a breach for a moment.
 */
const sameInARow = 3;

/** Turns in a row that find any difference: one that is never the same twice counts as well. */
const anyInARow = 12;

interface Suspicion {
  difference: MinorUnits;
  same: number;
  any: number;
}

interface Known {
  /** The difference of the open breach. */
  open: MinorUnits | undefined;
  acknowledged: MinorUnits;
}

/** Creates the watch of a comparison. Any number of processes may watch the same. */
export function createBreachWatch({ ledger, log }: { ledger: Ledger; log: Log }): BreachWatch {
  const suspicions = new Map<string, Suspicion>();
  return {
    async judge(comparisons, lasting) {
      if (comparisons.length === 0) return;
      const { open, acknowledged } = await recordComparisons(ledger, comparisons, lasting);
      for (const comparison of comparisons) {
        const key = subjectKey(comparison);
        const known = { open: open.get(key), acknowledged: acknowledged.get(key) ?? minorUnits(0n) };
        if (isKnown(comparison, known)) suspicions.delete(key);
        else if (isLasting(suspicions, key, comparison.difference)) await apply(ledger, log, comparison, known);
      }
    },
  };
}

/** What an open breach should show of a difference: without what is acknowledged, which explains nothing once the difference is gone. */
function restOf({ difference }: Comparison, { acknowledged }: Known): MinorUnits {
  return difference === 0n ? difference : minorUnits(difference - acknowledged);
}

/** Whether the breaches say of a subject what its comparison shows. */
function isKnown(comparison: Comparison, known: Known): boolean {
  const isOver = comparison.difference === 0n && known.acknowledged !== 0n;
  const rest = restOf(comparison, known);
  if (rest === 0n && known.open !== undefined && endsByItself(comparison)) return false;
  return !isOver && rest === (known.open ?? 0n);
}

/** The bank's next files may explain what was a difference. What the chains and the book differ in shows that somebody issued or burnt: a person looks at it. */
function endsByItself({ comparison }: Comparison): boolean {
  return comparison === 'bank';
}

function isLasting(suspicions: Map<string, Suspicion>, key: string, difference: MinorUnits): boolean {
  const before = suspicions.get(key);
  const suspicion = { difference, same: before?.difference === difference ? before.same + 1 : 1, any: (before?.any ?? 0) + 1 };
  suspicions.set(key, suspicion);
  return suspicion.same >= sameInARow || suspicion.any >= anyInARow;
}

async function apply(ledger: Ledger, log: Log, comparison: Comparison, known: Known): Promise<void> {
  const rest = restOf(comparison, known);
  const { comparison: name, currency, account } = comparison;
  if (comparison.difference === 0n) await endAcknowledgements(ledger, comparison);
  if (rest === 0n && endsByItself(comparison)) {
    if (await endBreach(ledger, comparison, 'later reports of the bank explain it'))
      log.warn({ comparison: name, currency, account }, 'the book and the bank agree again: the breach is over');
    return;
  }
  if (rest === 0n) {
    await updateBreach(ledger, comparison, rest);
    return;
  }
  if (!(await recordBreach(ledger, comparison, rest))) return;
  log.fatal(
    { comparison: name, currency, account, difference: formatAmount(rest) },
    'the book and what it is compared with differ: this currency is not issued until an operator acknowledges it (mintrail reconcile)',
  );
}
