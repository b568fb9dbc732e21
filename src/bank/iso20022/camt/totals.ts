import { bankFileError, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';

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

  return {
    add(entry: Element, isBooked: boolean): void {
      const amount = elementAt(entry, 'Amt');
      currencies.add(amount?.currency?.toUpperCase());
      const counted: CountedEntry = {
        direction: textAt(entry, 'CdtDbtInd'),
        amount: parseDecimal(textAt(amount)) ?? 0n,
        transactions: elementsAt(entry, 'NtryDtls', 'TxDtls').length || Number(textAt(entry, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1),
      };
      all.add(counted);
      if (isBooked) booked.add(counted);
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
