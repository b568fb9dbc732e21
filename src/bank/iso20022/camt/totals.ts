import { bankFileError, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { type Decimal, decimalToMinorUnits, formatDecimal, parseDecimal } from './decimal.ts';
import type { StatementBalances } from './statement-head.ts';
import { wholeNumberAt } from './whole-number.ts';

/**
 * Compares the entries of a statement with its totals (`TxsSummry`), to notice a file that lost entries on its way.
 *
 * The standard leaves open whether pending entries count, and banks count entries or transactions: a total is accepted
 * when any of these readings makes it. No reading can where entries have several currencies, as `Sum` has none.
 */
export function createTotalsCheck() {
  const all = createTally();
  const booked = createTally();
  const currencies = new Set<string | undefined>();
  const movements = createMovements();

  return {
    add(entry: Element, status: string | undefined): void {
      const isBooked = status === 'BOOK';
      const amount = elementAt(entry, 'Amt');
      movements.add(entry, status);
      currencies.add(amount?.currency?.toUpperCase());
      const counted: CountedEntry = {
        direction: textAt(entry, 'CdtDbtInd'),
        amount: parseDecimal(textAt(amount)) ?? 0n,
        transactions: elementsAt(entry, 'NtryDtls', 'TxDtls').length || (wholeNumberAt(entry, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1),
      };
      all.add(counted);
      if (isBooked) booked.add(counted);
    },
    /** Compares the booked entries with the balances of a whole statement. Throws `statement_totals_differ`. */
    checkBalances(balances: readonly StatementBalances[], position: FilePosition): void {
      for (const { currency, opening, closing } of balances) {
        if (opening === undefined || closing === undefined) continue;
        const possible = movements.of(currency);
        if (possible === undefined || possible.includes(closing - opening)) continue;
        const text = (amount: bigint) => formatDecimal(amount * minorUnit).replace(/^(?!-)/, amount < 0n ? '-' : '');
        throw totalsDiffer('the movement from OPBD to CLBD', text(closing - opening), `entries of ${text(possible[0] ?? 0n)}`, position);
      }
    },
    /** To be called after the last entry of a whole statement. Throws `statement_totals_differ`. */
    check(summary: Element | undefined, position: FilePosition): void {
      // Only credits matter here, so the total of all entries is used when credits have none of their own.
      const name = elementAt(summary, 'TtlCdtNtries') === undefined ? 'TtlNtries' : 'TtlCdtNtries';
      const total = elementAt(summary, name);
      const tallies = [all, booked].map((tally) => tally.of(name === 'TtlCdtNtries' ? ['CRDT'] : ['CRDT', 'DBIT']));
      const count = textAt(total, 'NbOfNtries');
      const counts = tallies.flatMap(({ entries, transactions }) => [entries, transactions]);
      if (count !== undefined && !counts.includes(Number(count)))
        throw totalsDiffer(`${name}/NbOfNtries`, count, `${counts[0]} entries`, position);
      const sum = textAt(total, 'Sum');
      if (sum === undefined || currencies.size > 1) return;
      const sums = tallies.flatMap(({ gross, net }) => [gross, net]);
      const announced = parseDecimal(sum);
      if (!sums.some((actual) => actual === announced))
        throw totalsDiffer(`${name}/Sum`, sum, `a sum of ${formatDecimal(sums[0] ?? 0n)}`, position);
    },
  };
}

/** A minor unit as a decimal. */
const minorUnit = 10n ** 15n;

/** Statuses besides `BOOK` that say that an entry is not booked. */
const unbooked = new Set(['PDNG', 'INFO', 'FUTR']);

/** Sums what is booked by currency, in minor units: without and with entries of which that is not known. */
function createMovements() {
  const sums = new Map<string, { booked: bigint; all: bigint }>();
  const unknown = new Set<string>();
  return {
    add(entry: Element, status: string | undefined): void {
      if (status !== undefined && unbooked.has(status)) return;
      const amount = elementAt(entry, 'Amt');
      const currency = amount?.currency?.trim().toLowerCase() ?? '';
      const [decimal, direction] = [parseDecimal(textAt(amount)), textAt(entry, 'CdtDbtInd')];
      const units = decimal === undefined ? undefined : decimalToMinorUnits(decimal);
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

interface CountedEntry {
  /** `CdtDbtInd`. */
  direction: string | undefined;
  amount: Decimal;
  transactions: number;
}

const emptyTally = { entries: 0, transactions: 0, sum: 0n };

function createTally() {
  const byDirection = new Map<string, { entries: number; transactions: number; sum: Decimal }>();
  return {
    add({ direction = '', amount, transactions }: CountedEntry): void {
      const tally = byDirection.get(direction) ?? emptyTally;
      byDirection.set(direction, {
        entries: tally.entries + 1,
        transactions: tally.transactions + transactions,
        sum: tally.sum + amount,
      });
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
