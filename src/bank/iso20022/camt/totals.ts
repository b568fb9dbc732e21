import { bankFileError, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { decimalToMinorUnits, formatDecimal, parseDecimal } from './decimal.ts';
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
  const tallies = [createTally(), createTally()] as const;
  const [all, booked] = tallies;
  const currencies = new Set<string>();
  const movements = createMovements();

  return {
    add(entry: Entry): void {
      movements.add(entry);
      currencies.add(entry.currency);
      all.add(entry);
      if (entry.status === 'BOOK') booked.add(entry);
    },
    /** Compares the booked entries with the balances of a whole statement. Throws `statement_totals_differ`. */
    checkBalances(balances: readonly StatementBalances[], position: FilePosition): void {
      for (const { currency, opening, closing } of balances) {
        if (opening === undefined || closing === undefined) continue;
        const possible = movements.of(currency);
        if (possible === undefined || possible.includes(closing - opening)) continue;
        const text = (amount: bigint) => formatDecimal(amount * minorUnit);
        throw totalsDiffer('the movement from OPBD to CLBD', text(closing - opening), `entries of ${text(possible[0] ?? 0n)}`, position);
      }
    },
    /** To be called after the last entry of a whole statement. Throws `statement_totals_differ`. */
    check(summary: Element | undefined, position: FilePosition): void {
      // Only credits matter here, so the total of all entries is used when credits have none of their own.
      const name = elementAt(summary, 'TtlCdtNtries') === undefined ? 'TtlNtries' : 'TtlCdtNtries';
      const total = elementAt(summary, name);
      const possible = tallies.map((tally) => tally.of(name === 'TtlCdtNtries' ? ['CRDT'] : ['CRDT', 'DBIT']));
      const count = textAt(total, 'NbOfNtries');
      const counts = possible.flatMap(({ entries, transactions }) => [entries, transactions]);
      if (count !== undefined && !counts.includes(Number(count)))
        throw totalsDiffer(`${name}/NbOfNtries`, count, `${counts[0]} entries`, position);
      const sum = textAt(total, 'Sum');
      if (sum === undefined || currencies.size > 1) return;
      const sums = possible.flatMap(({ gross, net }) => [gross, net]);
      const announced = parseDecimal(sum);
      if (!sums.some((actual) => actual === announced))
        throw totalsDiffer(`${name}/Sum`, sum, `a sum of ${formatDecimal(sums[0] ?? 0n)}`, position);
    },
  };
}

/** A minor unit as a decimal. */
const minorUnit = 10n ** 15n;

/** Sums what is booked by currency, in minor units: without and with entries of which that is not known. */
function createMovements() {
  const sums = new Map<string, { booked: bigint; all: bigint }>();
  const unknown = new Set<string>();
  return {
    add({ status, direction, amount, currency: code }: Entry): void {
      if (status !== undefined && unbookedStatuses.has(status)) return;
      const currency = code.toLowerCase();
      const units = amount === undefined ? undefined : decimalToMinorUnits(amount);
      if (typeof units !== 'bigint' || (direction !== 'CRDT' && direction !== 'DBIT')) {
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

const emptyTally = { entries: 0, transactions: 0, sum: 0n };

function createTally() {
  const byDirection = new Map<string | undefined, typeof emptyTally>();
  return {
    add({ element, direction, amount = 0n, transactions: { length } }: Entry): void {
      const { entries, transactions, sum } = byDirection.get(direction) ?? emptyTally;
      const counted = length || (wholeNumberAt(element, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1);
      byDirection.set(direction, { entries: entries + 1, transactions: transactions + counted, sum: sum + amount });
    },
    of(directions: readonly string[]) {
      const tallies = directions.map((direction) => byDirection.get(direction) ?? emptyTally);
      const [credits = 0n, debits = 0n] = tallies.map(({ sum }) => sum);
      return {
        entries: tallies.reduce((sum, tally) => sum + tally.entries, 0),
        transactions: tallies.reduce((sum, tally) => sum + tally.transactions, 0),
        gross: credits + debits,
        net: credits > debits ? credits - debits : debits - credits,
      };
    },
  };
}

function totalsDiffer(name: string, announced: string, actual: string, position: FilePosition): Error {
  const remedy = 'Entries are missing or damaged: fetch the statement from the bank again, or ask it for a corrected one.';
  return bankFileError('statement_totals_differ', `The statement announces ${announced} as ${name} and holds ${actual}`, remedy, position);
}
