import { createHash } from 'node:crypto';
import type { Element } from '../xml/element.ts';
import type { Entry } from './entry.ts';
import { type Money, servicerReference } from './money.ts';
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
export type CreditReferences = ReturnType<typeof createCreditReferences>;

/** Longer references are hashed. The schema allows 35 characters, an index of the database some 2,000. */
const maxReferenceLength = 140;

/** What the reference of money is made from. */
interface ReferenceSource extends Pick<Money, 'entry' | 'index' | 'count'> {
  /** The transaction whose number is that of the money. */
  numbered?: Element | undefined;
  /** The result of `ofEntry`. */
  entryReference: string | undefined;
  /** The facts that identify money without a reference. */
  facts: readonly (string | undefined)[];
}

/** The references of a statement on an account: a fee may have the number of the credit it belongs to, so debits are counted apart. */
export function statementReferences(accountId: string) {
  return { references: createCreditReferences(accountId), debitReferences: createCreditReferences(accountId) };
}

/** What {@link statementReferences} returns. */
export type StatementReferences = ReturnType<typeof statementReferences>;

function createCreditReferences(accountId: string) {
  const uniqueEntry = createUniqueNames();
  const uniqueMoney = createUniqueNames();
  const scoped = (reference: string) => `${escape(accountId)}:${escape(reference)}`;

  return {
    /** The entry's own reference, unique in the statement; `undefined` when it has none. To be called once per entry. */
    ofEntry({ source: { bankNumber } }: Entry): string | undefined {
      return bankNumber === undefined ? undefined : uniqueEntry(scoped(bankNumber));
    },
    /** The reference of one transaction, or of an entry as a whole, unique in the statement. To be called once for each. */
    ofMoney({ entryReference, entry, numbered, index, count, facts }: ReferenceSource): string {
      const own = servicerReference(numbered);
      if (own !== undefined && own !== entry.source.bankNumber) return uniqueMoney(scoped(own));
      if (entryReference !== undefined) return uniqueMoney(count > 1 ? `${entryReference}#tx${index}` : entryReference);
      return uniqueMoney(`${escape(accountId)}#${digest(facts.map((fact) => fact ?? null))}`);
    },
  };
}

/** A reference of `written`, the account as a statement writes it, as one of another name of the account. */
export function rescoped(reference: string, written: string, account: string): string {
  const scope = escape(written);
  const isScoped = reference.startsWith(`${scope}:`) || reference.startsWith(`${scope}#`);
  return isScoped ? `${escape(account)}${reference.slice(scope.length)}` : reference;
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
