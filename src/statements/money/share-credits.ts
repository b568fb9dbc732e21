import type { IsRead, Money } from './money.ts';
import type { CreditOfLine } from '../../ledger/bank/reported-line.ts';

/**
 * Gives the credits that were made of lines before to money over one amount. A credit stays with the money of its line if that is the same customer's. One that was issued
 * is else taken for other money of the customer over this amount, which would be issued again without it: one is as good as the other. What is left is surplus. Money that is only
 * compared with (`isRead`) keeps what it has.
 */
export function shareCredits(all: readonly Money[], isRead: IsRead): void {
  const read = new Set(all.filter(({ lines }) => lines.every(isRead)));
  const issued: { credit: CreditOfLine; money: Money }[] = [];
  for (const money of all) {
    for (const credit of creditsOf(money)) {
      if (credit.state === 'open') money.others.push(credit);
      else if (money.credit === undefined && isFor(money, credit)) money.credit = credit;
      else issued.push({ credit, money });
    }
  }
  const waiting = [...read].filter(({ hold }) => hold !== undefined);
  for (const money of waiting) if (money.hold?.of !== undefined && read.has(money.hold.of)) giveTo(money, money.hold.of);
  const counting = withoutCredit([...read].filter(({ hold }) => hold === undefined));
  for (const money of waiting) if (money.hold?.of !== undefined && money.credit) giveTo(money, counting.get(keyOf(money.credit))?.pop());
  const without = withoutCredit([...counting.values(), waiting].flat());
  for (const { credit, money } of issued) {
    const own = isFor(money, credit) ? [credit, money.credit] : [credit];
    const moved = own.find((one) => one !== undefined && read.has(money) && without.get(keyOf(one))?.length);
    if (moved === undefined) {
      money.surplus.push(credit);
      continue;
    }
    const other = without.get(keyOf(moved))?.pop() as Money;
    other.credit = moved;
    if (moved !== credit) money.credit = credit;
  }
  for (const money of all) money.credit ??= money.others.shift();
}

/**
 * Of two that may be one the first counts, whichever of them came first and was issued. Where that has a credit, other money that counts: as long as what waits was issued,
 * more than what counts was.
 */
function giveTo(waiting: Money, counting: Money | undefined): void {
  if (waiting.credit === undefined || counting === undefined || counting.credit !== undefined || !isFor(counting, waiting.credit)) return;
  counting.credit = waiting.credit;
  waiting.credit = undefined;
}

function creditsOf({ lines }: Money): CreditOfLine[] {
  return lines.flatMap(({ credit }) => (credit?.isFirst === true && credit.state !== 'replaced' ? credit : []));
}

function isFor({ best }: Money, { iban }: CreditOfLine): boolean {
  return iban === null || best.iban === null || iban === best.iban;
}

/** Money of customers that has no issued credit, by customer and amount: the first at the end. */
function withoutCredit(all: readonly Money[]): Map<string, Money[]> {
  const open = all.filter(({ best, credit, left }) => credit === undefined && best.iban !== null && left === undefined);
  return Map.groupBy(open.toReversed(), ({ best: { iban }, amount }) => keyOf({ iban, amount }));
}

function keyOf({ iban, amount }: Pick<CreditOfLine, 'iban' | 'amount'>): string {
  return `${iban} ${amount}`;
}
