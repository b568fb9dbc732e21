import type { Breach } from '../../ledger/reserve/breaches.ts';
import { formatAmount, type MinorUnits, minorUnits, totalOf } from '../../platform/money.ts';
import type { Reserve } from '../../reconciliation/reserve.ts';

/**
 * The equation of a currency: the money at the bank, and what it is. `difference` is what the two sides differ by: anything but zero means
 * that the book is damaged.
 */
export function renderReserve({ currency, bank, circulation, underWay, openings, operator, claims, differences }: Reserve) {
  const money = totalOf(Object.values(bank));
  const tokens = totalOf(Object.values(circulation));
  const moving = totalOf(Object.values(underWay));
  const owed = tokens + moving + openings + operator - claims - differences;
  return {
    currency,
    bank: { total: formatAmount(money), accounts: amountsOf(bank) },
    tokens: { total: formatAmount(tokens), networks: amountsOf(circulation) },
    underWay: { total: formatAmount(moving), kinds: amountsOf(underWay) },
    openings: formatAmount(openings),
    operator: formatAmount(operator),
    claims: formatAmount(claims),
    unexplained: formatAmount(differences),
    difference: formatAmount(minorUnits(money - owed)),
  };
}

/** A difference that lasts: nothing of its currency is issued until an operator has acknowledged it. */
export function renderBreach({ comparison, currency, account, difference, foundAt }: Breach) {
  return { comparison, currency, account, difference: formatAmount(difference), foundAt: foundAt.toISOString() };
}

function amountsOf(amounts: Partial<Record<string, MinorUnits>>): { name: string; amount: string }[] {
  return Object.entries(amounts).map(([name, amount]) => ({ name, amount: formatAmount(amount ?? minorUnits(0n)) }));
}
