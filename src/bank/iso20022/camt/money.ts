import type { Party } from '../../credit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { accountId, accountOf } from './account.ts';
import { payerReferences, servicerReference, uetrOf } from './credit-references.ts';
import { type Decimal, formatDecimal } from './decimal.ts';
import type { Entry } from './entry.ts';
import { remittanceOf } from './remittance.ts';

/** Money that arrived or left: an entry as a whole, or one transaction of it. */
export interface Money {
  entry: Entry;
  transaction?: Element | undefined;
  /** Position of the transaction in the entry, from 1, and how many there are; 1 of 1 for an entry as a whole. */
  index: number;
  count: number;
  /** `undefined` when the bank's text is not an amount. */
  amount: Decimal | undefined;
}

/** What a credit and a debit say alike. */
export function descriptionOf({ entry, transaction, count }: Money) {
  return {
    // The bank's text on an entry with several transactions describes none of them.
    ...remittanceOf(transaction, count === 1 ? entry.element : undefined),
    endToEndId: realReference(textAt(transaction, 'Refs', 'EndToEndId')),
    uetr: uetrOf(transaction),
    bookedOn: entry.bookedOn,
  };
}

/** The bank's own number of money: that of a transaction, or of its entry where the money is all of it. */
export function numberOf(transaction: Element | undefined, { entry, count }: Money): string | undefined {
  return servicerReference(transaction) ?? (count === 1 ? entry.source.bankNumber : undefined);
}

/** The amount of money as the bank wrote it, or as it follows from others. */
export function amountTextOf({ entry, amount }: Money): string | undefined {
  return amount === undefined ? textAt(entry.element, 'Amt') : formatDecimal(amount);
}

/** What every report of the same booking repeats, of money on an account from or to a party; see `CreditReferences`. */
export function identifyingFacts(money: Money, account: string, other: { party: Party; account: string }): (string | undefined)[] {
  const { entry, transaction } = money;
  const otherAccount = accountOf(elementAt(transaction, 'RltdPties', other.account));
  return [
    account,
    entry.bookedOn,
    amountTextOf(money),
    entry.currency,
    otherAccount === undefined ? other.party.name?.toUpperCase() : accountId(otherAccount),
    ...payerReferences(transaction),
  ];
}
