import { bankFileError, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { formatDecimal, minorUnit, minorUnitsOf, parseDecimal } from './decimal.ts';
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
  const all = newTally();
  const booked = newTally();
  const currencies = new Set<string>();
  const movements = createMovements();

  return {
    add(entry: Entry): void {
      movements.add(entry);
      currencies.add(entry.currency);
      count(all, entry);
      if (entry.status === 'BOOK') count(booked, entry);
    },
    /** Compares the booked entries with the balances of a whole statement. Throws `statement_totals_differ`. */
    checkBalances(balances: readonly StatementBalances[], position: FilePosition): void {
      for (const { currency, opening, closing } of balances) {
        if (opening === undefined || closing === undefined) continue;
        const possible = movements.of(currency);
        if (possible === undefined || possible.includes(closing - opening)) continue;
        const [moved, booked] = [closing - opening, possible[0] ?? 0n].map((amount) => formatDecimal(amount * minorUnit));
        throw totalsDiffer('the movement from OPBD to CLBD', `${moved}`, `entries of ${booked}`, position);
      }
    },
    /** To be called after the last entry of a whole statement. Throws `statement_totals_differ`. */
    check(summary: Element | undefined, position: FilePosition): void {
      // Only credits matter here, so the total of all entries is used when credits have none of their own.
      const name = elementAt(summary, 'TtlCdtNtries') === undefined ? 'TtlNtries' : 'TtlCdtNtries';
      const total = elementAt(summary, name);
      const sides = name === 'TtlNtries' ? (['CRDT', 'DBIT'] as const) : (['CRDT'] as const);
      const possible = [all, booked].map((tally) => sides.map((side) => tally[side]));
      const announcedCount = textAt(total, 'NbOfNtries');
      const counts = possible.flatMap((tallied) => [sumOf(tallied, 'entries'), sumOf(tallied, 'transactions')]);
      if (announcedCount !== undefined && !counts.includes(Number(announcedCount)))
        throw totalsDiffer(`${name}/NbOfNtries`, announcedCount, `${counts[0]} entries`, position);
      const announcedSum = textAt(total, 'Sum');
      if (announcedSum === undefined || currencies.size > 1) return;
      const sums = possible.flatMap(([credits, debits]) => grossAndNet(credits?.sum ?? 0n, debits?.sum ?? 0n));
      if (!sums.some((sum) => sum === parseDecimal(announcedSum)))
        throw totalsDiffer(`${name}/Sum`, announcedSum, `a sum of ${formatDecimal(sums[0] ?? 0n)}`, position);
    },
  };
}

/** Sums what is booked by currency, in minor units: without and with entries of which that is not known. */
function createMovements() {
  const sums = new Map<string, { booked: bigint; all: bigint }>();
  const unknown = new Set<string>();
  return {
    add({ status, direction, amount, currency: code }: Entry): void {
      if (status !== undefined && unbookedStatuses.has(status)) return;
      const currency = code.toLowerCase();
      const units = minorUnitsOf(amount);
      if (units === undefined || direction === undefined) {
        unknown.add(currency);
        return;
      }
      const signed = direction === 'CRDT' ? units : 0n - units;
      const { booked, all } = sums.get(currency) ?? { booked: 0n, all: 0n };
      sums.set(currency, { booked: status === 'BOOK' ? booked + signed : booked, all: all + signed });
    },
    /** What entries may come to; undefined where one of them cannot be read. */
    of(currency: string): bigint[] | undefined {
      if (unknown.has(currency) || unknown.has('')) return undefined;
      const { booked, all } = sums.get(currency) ?? { booked: 0n, all: 0n };
      return [booked, all];
    },
  };
}

type Side = ReturnType<typeof newSide>;

function newSide() {
  return { entries: 0, transactions: 0, sum: 0n };
}

function newTally() {
  return { CRDT: newSide(), DBIT: newSide() };
}

function count(tally: ReturnType<typeof newTally>, { element, direction, amount = 0n, transactions: { length } }: Entry): void {
  const transactions = length || (wholeNumberAt(element, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1);
  if (direction === undefined) return;
  const side = tally[direction];
  side.entries += 1;
  side.transactions += transactions;
  side.sum += amount;
}

function sumOf(sides: readonly Side[], what: 'entries' | 'transactions'): number {
  return sides.reduce((sum, side) => sum + side[what], 0);
}

function grossAndNet(credits: bigint, debits: bigint): [bigint, bigint] {
  return [credits + debits, credits > debits ? credits - debits : debits - credits];
}

function totalsDiffer(name: string, announced: string, actual: string, position: FilePosition): Error {
  const remedy = 'Entries are missing or damaged: fetch the statement from the bank again, or ask it for a corrected one.';
  return bankFileError('statement_totals_differ', `The statement announces ${announced} as ${name} and holds ${actual}`, remedy, position);
}
