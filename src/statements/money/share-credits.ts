import type { Money } from './money.ts';
import type { CreditOfLine } from './reported-line.ts';

/**
 * Gives the credits that were made of lines before to money over one amount. A credit stays with the money of its line if that is the same customer's. One that was issued
 * is else taken for other money of the customer over this amount, which would be issued again without it: one is as good as the other. What is left is surplus.
 */
export function shareCredits(all: readonly Money[]): void {
  const issued: { credit: CreditOfLine; money: Money }[] = [];
  for (const money of all) {
    for (const credit of creditsOf(money)) {
      if (credit.state === 'open') money.others.push(credit);
      else if (money.credit === undefined && isFor(money, credit)) money.credit = credit;
      else issued.push({ credit, money });
    }
  }
  for (const money of all) if (money.hold?.of !== undefined) giveToFirst(money, money.hold.of);
  for (const { credit, money } of issued) {
    const other = findWithout(all, credit);
    if (other === undefined) money.surplus.push(credit);
    else other.credit = credit;
  }
  for (const money of all) money.credit ??= money.others.shift();
}

/** Of two that may be one the first counts, whichever of them came first and was issued. */
function giveToFirst(waiting: Money, first: Money): void {
  if (waiting.credit === undefined || first.credit !== undefined || !isFor(first, waiting.credit)) return;
  first.credit = waiting.credit;
  waiting.credit = undefined;
}

function creditsOf({ lines }: Money): CreditOfLine[] {
  return lines.flatMap(({ credit }) => (credit?.isFirst === true && credit.state !== 'replaced' ? credit : []));
}

function isFor({ best }: Money, { iban }: CreditOfLine): boolean {
  return iban === null || best.iban === null || iban === best.iban;
}

/** Money of the customer that has no issued credit; what does not wait comes first. */
function findWithout(all: readonly Money[], { iban }: CreditOfLine): Money | undefined {
  const without = all.filter(({ best, credit }) => credit === undefined && iban !== null && best.iban === iban);
  return without.find(({ hold }) => hold === undefined) ?? without[0];
}
