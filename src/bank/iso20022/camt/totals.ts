import { formatDecimal, parseDecimal } from './decimal.ts';
import type { Decimal } from './decimal.ts';
import { elementAt, elementsAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { refusal } from '../xml/bank-file-error.ts';
import type { Place } from '../xml/bank-file-error.ts';

/**
 * Checks `TxsSummry` against the entries, so that a file which lost some of them on its way is noticed.
 *
 * The standard leaves open whether pending entries count, and banks count entries or transactions; a total is believed
 * when any of these readings gives it. It is not checked where no reading can: on pages of a statement, as each
 * carries the totals of the whole, and where entries have several currencies, as `Sum` has none.
 */
export function createTotals() {
  const all = createTally();
  const booked = createTally();
  const currencies = new Set<string | undefined>();

  return {
    add(entry: Element, isBooked: boolean): void {
      const amount = elementAt(entry, 'Amt');
      currencies.add(amount?.currency?.toUpperCase());
      const line: Line = {
        direction: textAt(entry, 'CdtDbtInd'),
        amount: parseDecimal(textAt(amount)) ?? 0n,
        transactions: elementsAt(entry, 'NtryDtls', 'TxDtls').length || Number(textAt(entry, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1),
      };
      all.add(line);
      if (isBooked) booked.add(line);
    },
    check(summary: Element | undefined, place: Place): void {
      // Debits do not concern us: the total of all entries only serves where credits have none of their own.
      const name = elementAt(summary, 'TtlCdtNtries') === undefined ? 'TtlNtries' : 'TtlCdtNtries';
      const total = elementAt(summary, name);
      const tallies = [all, booked].map((tally) => tally.of(name === 'TtlCdtNtries' ? ['CRDT'] : ['CRDT', 'DBIT']));
      const count = textAt(total, 'NbOfNtries');
      const counts = tallies.flatMap(({ entries, transactions }) => [entries, transactions]);
      if (count !== undefined && !counts.includes(Number(count))) throw differs(`${name}/NbOfNtries`, count, `${counts[0]} entries`, place);
      const sum = textAt(total, 'Sum');
      if (sum === undefined || currencies.size > 1) return;
      const sums = tallies.flatMap(({ gross, net }) => [gross, net]);
      const given = parseDecimal(sum);
      if (!sums.some((found) => found === given)) throw differs(`${name}/Sum`, sum, `a sum of ${formatDecimal(sums[0] ?? 0n)}`, place);
    },
  };
}

interface Line {
  direction: string | undefined;
  amount: Decimal;
  transactions: number;
}

function createTally() {
  const byDirection = new Map<string, { entries: number; transactions: number; sum: Decimal }>();
  return {
    add({ direction = '', amount, transactions }: Line): void {
      const tally = byDirection.get(direction) ?? nothing;
      byDirection.set(direction, {
        entries: tally.entries + 1,
        transactions: tally.transactions + transactions,
        sum: tally.sum + amount,
      });
    },
    of(directions: readonly string[]) {
      const found = directions.map((direction) => byDirection.get(direction) ?? nothing);
      const [credits = nothing.sum, debits = nothing.sum] = found.map(({ sum }) => sum);
      return {
        entries: found.reduce((sum, tally) => sum + tally.entries, 0),
        transactions: found.reduce((sum, tally) => sum + tally.transactions, 0),
        gross: credits + debits,
        net: credits > debits ? credits - debits : debits - credits,
      };
    },
  };
}

const nothing = { entries: 0, transactions: 0, sum: 0n };

function differs(name: string, given: string, found: string, place: Place): Error {
  const remedy = 'Entries are missing or damaged: fetch the statement from the bank again, or ask it for a corrected one.';
  return refusal('statement_totals_differ', `The statement announces ${given} as ${name} and holds ${found}`, remedy, place);
}
