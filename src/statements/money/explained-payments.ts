import type { ReportedLine } from '../../ledger/bank/reported-line.ts';
import { areApart, areOfOtherDays, daysBetween, haveOtherNumbers } from './compare-lines.ts';
import type { Money } from './money.ts';

/** What is reported of payments by themselves, which an operator has named for a debit, or that books their whole file, is in that debit: each payment once, the nearest day first, unless it shows to be another booking. */
export function putPaymentsWithin(all: readonly Money[]): void {
  const debits = new Map(all.flatMap((money) => (money.credit === undefined ? [] : [[money.credit.reference, money] as const])));
  const reported = new Set(
    all.flatMap(({ lines, credit, within }) =>
      lines.flatMap((line) => (isBookedBy(line, (within?.credit ?? credit)?.reference) ? line.payment : [])),
    ),
  );
  const parts = all.flatMap((part) => {
    const { payment = null, bookedBy = null } = part.lines.find((line) => line.bookedBy !== null) ?? {};
    const debit = debits.get(bookedBy ?? '');
    return part.credit !== undefined || part.within !== undefined || debit === undefined
      ? []
      : [{ part, payment, debit, days: daysBetween(part.best, debit.best) }];
  });
  for (const { part, payment, debit } of parts.toSorted((one, other) => one.days - other.days)) {
    if (reported.has(payment) || part.lines.some((line) => debit.lines.some((known) => showsOther(line, known)))) continue;
    part.within = debit;
    reported.add(payment);
  }
}

function showsOther(line: ReportedLine, known: ReportedLine): boolean {
  return areApart(line, known) || haveOtherNumbers(line, known) || areOfOtherDays(line, known);
}

/** The payment of ours that money within a debit is, as an operator has said. */
export function paymentWithin({ lines, within }: Money): string | undefined {
  return lines.find((line) => isBookedBy(line, within?.credit?.reference))?.payment ?? undefined;
}

function isBookedBy({ bookedBy }: ReportedLine, debit: string | undefined): boolean {
  return debit !== undefined && bookedBy === debit;
}
