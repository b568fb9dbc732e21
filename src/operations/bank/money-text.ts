import type { Party } from '../../bank/credit.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';

/** An amount as decimal text, and of an amount that is not known nothing. */
export function amountOrNull(amount: MinorUnits | null): string | null {
  return amount === null ? null : formatAmount(amount);
}

/** An amount with its currency, for a sentence. */
export function moneyText(amount: MinorUnits | null, currency: string | null): string {
  return amount === null ? 'an amount that is not known' : `${formatAmount(amount)} ${currency?.toUpperCase() ?? ''}`.trim();
}

/** Who paid or is paid with the account, for a sentence: as far as the bank names it. */
export function partyText({ name, iban, accountNumber }: Party): string {
  const account = iban ?? accountNumber;
  return [name ?? 'somebody whom the bank does not name', account && `(${account})`].filter(Boolean).join(' ');
}
