import { createHash } from 'node:crypto';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { createTextCounts } from './text-counts.ts';

/**
 * The exactly-once keys of money at the border from the bank to orders. The same money must have the same reference in a
 * notification, in the statement of the day and in any repetition of either, and two payments must never share one:
 * two references for the same money mint twice, one reference for two payments loses money.
 *
 * 1. `TxDtls/Refs/AcctSvcrRef`, where it differs from the entry's own.
 * 2. `Ntry/AcctSvcrRef`, followed by `#tx<n>` when the entry has several transactions.
 * 3. Without either, `#` and a hash of facts that every report of the same booking repeats: credited account, day,
 *    amount, currency, payer and the payer's own references. Not the entry's number or position, which differ.
 *
 * All begin with the account of the statement, because two banks may use the same number. Where a reference occurs again
 * within one statement, `#<n>` follows: a statement lists each booking once, so an equal one is another payment. Only
 * equal ones are counted, so that other entries between them, or their absence, change nothing.
 *
 * Not distinguishable are payments without any reference and equal in all facts, of the same day, that the bank reports
 * in separate files. They count as one payment until a statement lists them together.
 */
export interface CreditReferences {
  /** The entry's own reference, unique in the statement; `undefined` when it has none. To be called once per entry. */
  ofEntry(entry: Element): string | undefined;
  /** The reference of one transaction, or of an entry as a whole, unique in the statement. To be called once for each. */
  ofMoney(source: ReferenceSource): string;
}

/** What a reference is made from. */
interface ReferenceSource {
  /** The result of `ofEntry`. */
  entryReference: string | undefined;
  entry: Element;
  transaction?: Element | undefined;
  /** Position of the transaction in the entry, from 1, and how many there are. */
  index: number;
  count: number;
  /** The facts that identify money without a reference. */
  facts: readonly (string | undefined)[];
}

/** Longer references are hashed. The schema allows 35 characters, an index of the database some 2,000. */
const maxReferenceLength = 140;

/** `UUIDv4Identifier`; also of other versions, which some banks write. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidOfZeros = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/;

/** The references of one statement. `accountId` is the identification of its account. */
export function createCreditReferences(accountId: string): CreditReferences {
  const uniqueEntry = createUniqueNames();
  const uniqueMoney = createUniqueNames();
  const scoped = (reference: string) => `${escape(accountId)}:${escape(reference)}`;

  return {
    ofEntry(entry) {
      const reference = realReference(textAt(entry, 'AcctSvcrRef'));
      return reference === undefined ? undefined : uniqueEntry(scoped(reference));
    },
    ofMoney({ entryReference, entry, transaction, index, count, facts }) {
      const own = servicerReference(transaction);
      if (own !== undefined && own !== realReference(textAt(entry, 'AcctSvcrRef'))) return uniqueMoney(scoped(own));
      if (entryReference !== undefined) return uniqueMoney(count > 1 ? `${entryReference}#tx${index}` : entryReference);
      return uniqueMoney(`${escape(accountId)}#${digest(facts.map((fact) => fact ?? null))}`);
    },
  };
}

/** The references that the payer, or a bank on the way, gave to a transaction: part of the facts that identify it. */
export function payerReferences(transaction: Element | undefined): (string | undefined)[] {
  const names = ['EndToEndId', 'UETR', 'TxId', 'InstrId', 'MndtId', 'ChqNb', 'ClrSysRef'];
  const references = names.map((name) => realReference(textAt(transaction, 'Refs', name)));
  const remittance = elementAt(transaction, 'RmtInf');
  const texts = [...elementsAt(remittance, 'Ustrd'), ...elementsAt(remittance, 'Strd', 'CdtrRefInf', 'Ref')];
  // Without white space, because reports of one bank break the same lines differently.
  return [...references, texts.map(({ text }) => text.replace(/\s/g, '')).join('')];
}

/** The UETR of a transaction, in lower case; `undefined` for what is no UUID, or one of zeros. */
export function uetrOf(transaction: Element | undefined): string | undefined {
  const text = textAt(transaction, 'Refs', 'UETR')?.toLowerCase();
  return text !== undefined && uuid.test(text) && !uuidOfZeros.test(text) ? text : undefined;
}

/** A reference of `written`, the account as a statement writes it, as one of another name of the account. */
export function rescoped(reference: string, written: string, account: string): string {
  const scope = escape(written);
  const isScoped = reference.startsWith(`${scope}:`) || reference.startsWith(`${scope}#`);
  return isScoped ? `${escape(account)}${reference.slice(scope.length)}` : reference;
}

/** The account servicer's reference of a transaction: `AcctSvcrRef`, in later versions also `AcctSvcrTxId`. */
export function servicerReference(transaction: Element | undefined): string | undefined {
  const reference = (name: string) => realReference(textAt(transaction, 'Refs', name));
  return reference('AcctSvcrRef') ?? reference('AcctSvcrTxId');
}

/** Makes texts unique: the first stays as it is, the n-th of equal ones gets `#n`. */
function createUniqueNames(): (text: string) => string {
  const counts = createTextCounts();
  return (text) => {
    let count = counts.get(text) + 1;
    let unique = numbered(text, count);
    // A reference `X#2` that is the bank's own must not be given to the second `X`.
    while (count > 1 && counts.get(unique) > 0) {
      count += 1;
      unique = numbered(text, count);
    }
    counts.set(text, count);
    if (count > 1) counts.set(unique, 1);
    return unique;
  };
}

function numbered(text: string, count: number): string {
  return count === 1 ? text : `${text}#${count}`;
}

/** `:` and `#` separate the parts of a reference, so they are escaped within a part. */
function escape(text: string): string {
  return text.length > maxReferenceLength ? digest([text]) : text.replace(/[%:#]/g, encodeURIComponent);
}

function digest(facts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 40);
}
