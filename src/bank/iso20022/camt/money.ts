import type { Party } from '../../credit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, textAt, codeAt, collapseWhiteSpace, textsAt } from '../xml/element.ts';
import { accountId, accountOf } from './party.ts';
import { type Decimal, formatDecimal } from './numbers.ts';
import type { Entry } from './entry.ts';
import { isCreditorReference } from '../creditor-reference.ts';
import { withoutUndefined } from '../../without-undefined.ts';

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

/** Length of `Max140Text`: a bank that cuts a longer text into several `Ustrd` fills each but the last. */
const unstructuredLength = 140;

/**
 * The remittance information of a transaction (`TxDtls/RmtInf`): its text on one line, and its creditor reference (ISO 11649 or
 * national). Without any, the text is the bank's own: `AddtlTxInf` of the transaction, else `AddtlNtryInf` of `entry`, which is only
 * passed when the entry has no other transaction.
 */
export function remittanceOf(transaction: Element | undefined, entry: Element | undefined) {
  const information = elementAt(transaction, 'RmtInf');
  const blocks = elementsAt(information, 'Strd');
  const references = blocks.flatMap(creditorReferences);
  const structuredReference = references.find(isCreditorReference) ?? references[0];
  const remittance =
    unstructured(elementsAt(information, 'Ustrd')) ??
    collapseWhiteSpace(blocks.flatMap((block) => structuredTexts(block, structuredReference)).join(' ')) ??
    (structuredReference === undefined ? (textAt(transaction, 'AddtlTxInf') ?? textAt(entry, 'AddtlNtryInf')) : undefined);
  return withoutUndefined({ remittance, structuredReference });
}

/** Lines are joined by a space, except after a line of full length, which was cut there. */
function unstructured(lines: Element[]): string | undefined {
  const text = lines.map((line) => (line.text.length === unstructuredLength ? line.text : `${line.text} `)).join('');
  return collapseWhiteSpace(text);
}

/** `Strd/CdtrRefInf/Ref`. An ISO 11649 reference may be printed in groups of four, which are joined. */
function creditorReferences(block: Element): string[] {
  return textsAt(block, 'CdtrRefInf', 'Ref').flatMap((text) => {
    const compact = text.replace(/\s/g, '').toUpperCase();
    return isCreditorReference(compact) ? compact : (realReference(text) ?? []);
  });
}

/** The content of a structured block besides its chosen reference: other references, documents, free text. */
function structuredTexts(block: Element, chosen: string | undefined): string[] {
  const documents = elementsAt(block, 'RfrdDocInf').flatMap((document) => {
    const type = codeAt(document, 'Tp', 'CdOrPrtry');
    const number = textAt(document, 'Nb');
    return number === undefined ? [] : [type === undefined ? number : `${type} ${number}`];
  });
  return [...creditorReferences(block).filter((reference) => reference !== chosen), ...documents, ...textsAt(block, 'AddtlRmtInf')];
}
