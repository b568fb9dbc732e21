import type { Party } from '../../credit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { accountId, accountOf } from './account.ts';
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

/** The references that the payer, or a bank on the way, gave to a transaction: part of the facts that identify it. */
function payerReferences(transaction: Element | undefined): (string | undefined)[] {
  const names = ['EndToEndId', 'UETR', 'TxId', 'InstrId', 'MndtId', 'ChqNb', 'ClrSysRef'];
  const references = names.map((name) => realReference(textAt(transaction, 'Refs', name)));
  const remittance = elementAt(transaction, 'RmtInf');
  const texts = [...elementsAt(remittance, 'Ustrd'), ...elementsAt(remittance, 'Strd', 'CdtrRefInf', 'Ref')];
  // Without white space, because reports of one bank break the same lines differently.
  return [...references, texts.map(({ text }) => text.replace(/\s/g, '')).join('')];
}

/** `UUIDv4Identifier`; also of other versions, which some banks write. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidOfZeros = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/;

/** The UETR of a transaction, in lower case; `undefined` for what is no UUID, or one of zeros. */
function uetrOf(transaction: Element | undefined): string | undefined {
  const text = textAt(transaction, 'Refs', 'UETR')?.toLowerCase();
  return text !== undefined && uuid.test(text) && !uuidOfZeros.test(text) ? text : undefined;
}

/** The account servicer's reference of a transaction: `AcctSvcrRef`, in later versions also `AcctSvcrTxId`. */
export function servicerReference(transaction: Element | undefined): string | undefined {
  const reference = (name: string) => realReference(textAt(transaction, 'Refs', name));
  return reference('AcctSvcrRef') ?? reference('AcctSvcrTxId');
}
