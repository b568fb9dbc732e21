import { bankFileError, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { type Decimal, formatDecimal, minorUnit, minorUnitsOf, parseDecimal } from './decimal.ts';
import { type Entry, unbookedStatuses } from './entry.ts';
import type { StatementBalances } from './statement-head.ts';
import { wholeNumberAt } from './whole-number.ts';

/**
 * Compares the entries of a statement with its totals (`TxsSummry`), to notice a file that lost entries on its way.
 *
 * The standard leaves open whether pending entries count, and banks count entries or transactions: a total is accepted
 * when any of these readings makes it. No reading can where entries have several currencies, as `Sum` has none.
 */
export function createTotalsCheck() {
  const tallies = new Map<string, Tally>();
  const tallied = () => [...tallies.values()];

  return {
    add({ element, status, direction, amount, currency, transactions: { length } }: Entry): void {
      const isUnbooked = status !== undefined && unbookedStatuses.has(status);
      const isReadable = direction !== undefined && minorUnitsOf(amount) !== undefined;
      const of = { currency, direction, isBooked: status === 'BOOK', isUnbooked, isReadable };
      const key = JSON.stringify(of);
      const { entries, transactions, sum } = tallies.get(key) ?? { entries: 0, transactions: 0, sum: 0n };
      const counted = length || (wholeNumberAt(element, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1);
      tallies.set(key, { ...of, entries: entries + 1, transactions: transactions + counted, sum: sum + (amount ?? 0n) });
    },
    /** Compares the booked entries with the balances of a whole statement. Throws `statement_totals_differ`. */
    checkBalances(balances: readonly StatementBalances[], position: FilePosition): void {
      for (const { currency, opening, closing } of balances) {
        if (opening === undefined || closing === undefined) continue;
        const moved = (closing - opening) * minorUnit;
        const mayBeBooked = tallied().filter((tally) => !tally.isUnbooked && ['', currency].includes(tally.currency.toLowerCase()));
        if (mayBeBooked.some(({ isReadable }) => !isReadable)) continue;
        const all = mayBeBooked.filter((tally) => tally.currency !== '');
        const booked = signedSum(all.filter(({ isBooked }) => isBooked));
        // What has a status that says neither is held: any of it may be booked.
        const doubtful = all.filter(({ isBooked }) => !isBooked);
        const [credits, debits] = (['CRDT', 'DBIT'] as const).map((side) =>
          signedSum(doubtful.filter(({ direction }) => direction === side)),
        );
        if (booked + (debits ?? 0n) <= moved && moved <= booked + (credits ?? 0n)) continue;
        throw totalsDiffer('the movement from OPBD to CLBD', formatDecimal(moved), `entries of ${formatDecimal(booked)}`, position);
      }
    },
    /** To be called after the last entry of a whole statement. Throws `statement_totals_differ`. */
    check(summary: Element | undefined, position: FilePosition): void {
      // Only credits matter here, so the total of all entries is used when credits have none of their own.
      const name = elementAt(summary, 'TtlCdtNtries') === undefined ? 'TtlNtries' : 'TtlCdtNtries';
      const total = elementAt(summary, name);
      const all = tallied().filter(({ direction }) => direction === 'CRDT' || (direction === 'DBIT' && name === 'TtlNtries'));
      const possible = [all, all.filter(({ isBooked }) => isBooked)];
      const count = textAt(total, 'NbOfNtries');
      const counts = possible.flatMap((some) => [countOf(some, 'entries'), countOf(some, 'transactions')]);
      if (count !== undefined && !counts.includes(Number(count)))
        throw totalsDiffer(`${name}/NbOfNtries`, count, `${counts[0]} entries`, position);
      const sum = textAt(total, 'Sum');
      if (sum === undefined || new Set(tallied().map(({ currency }) => currency)).size > 1) return;
      const sums = possible.flatMap((some) => [some.reduce((gross, tally) => gross + tally.sum, 0n), absolute(signedSum(some))]);
      if (!sums.some((actual) => actual === parseDecimal(sum)))
        throw totalsDiffer(`${name}/Sum`, sum, `a sum of ${formatDecimal(sums[0] ?? 0n)}`, position);
    },
  };
}

/** How many entries that are alike in this there are, and what they come to. */
interface Tally extends Pick<Entry, 'currency' | 'direction'> {
  isBooked: boolean;
  isUnbooked: boolean;
  /** Whether direction and amount are known. */
  isReadable: boolean;
  entries: number;
  transactions: number;
  sum: Decimal;
}

function countOf(tallies: readonly Tally[], what: 'entries' | 'transactions'): number {
  return tallies.reduce((sum, tally) => sum + tally[what], 0);
}

/** Credits less debits. */
function signedSum(tallies: readonly Tally[]): Decimal {
  return tallies.reduce((sum, tally) => (tally.direction === 'CRDT' ? sum + tally.sum : sum - tally.sum), 0n);
}

function absolute(sum: Decimal): Decimal {
  return sum < 0n ? -sum : sum;
}

function totalsDiffer(name: string, announced: string, actual: string, position: FilePosition): Error {
  const remedy = 'Entries are missing or damaged: fetch the statement from the bank again, or ask it for a corrected one.';
  return bankFileError('statement_totals_differ', `The statement announces ${announced} as ${name} and holds ${actual}`, remedy, position);
}
