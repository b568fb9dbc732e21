import { createHash } from 'node:crypto';
import { elementAt, elementsAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { realReference } from '../placeholder.ts';

/**
 * The exactly-once key of money at the border bank -> order. The same money must give the same reference in a
 * notification, in the statement of the day and in any repetition of either, and two payments must never share one:
 * a reference too few mints twice, a reference shared loses money.
 *
 * 1. `TxDtls/Refs/AcctSvcrRef`, where it differs from the entry's own.
 * 2. `Ntry/AcctSvcrRef`; `#tx<n>` follows when the entry has several transactions.
 * 3. Without either, `#` and a hash of facts which every report of the same booking repeats: credited account, day,
 *    amount, currency, payer and the payer's own references. Not the entry's number or position, which differ.
 *
 * All are scoped by the account of the statement, as two banks may give the same number. Where a reference occurs again
 * within one statement, `#<n>` follows: a statement lists each booking once, so an equal one is another payment. The
 * counting is by order among equals only, so other entries between them, or their absence, change nothing.
 *
 * What cannot be told apart: payments without any reference and equal in all facts, of the same day, which the bank
 * reports in separate files. They count as one until a statement lists them together.
 */
export interface ReferenceBook {
  /** The entry's own reference, unique in the statement. */
  entry(entry: Element): string | undefined;
  /** The reference of one transaction, or of an entry without any, unique in the statement. */
  item(source: ReferenceSource): string;
}

/** What a reference is made from. */
interface ReferenceSource {
  /** As `ReferenceBook.entry` gave it. */
  entryReference: string | undefined;
  entry: Element;
  transaction?: Element | undefined;
  /** Position of the transaction in the entry, from 1, and how many there are. */
  index: number;
  count: number;
  facts: readonly (string | undefined)[];
}

/** Longer ones are hashed: the schema allows 35 characters, an index of the database some 2,000. */
const maxReferenceLength = 140;

export function createReferenceBook(scope: string): ReferenceBook {
  const entries = createCounter();
  const items = createCounter();
  const scoped = (reference: string) => `${escaped(scope)}:${escaped(reference)}`;

  return {
    entry(entry) {
      const own = realReference(textAt(entry, 'AcctSvcrRef'));
      return own === undefined ? undefined : entries(scoped(own));
    },
    item({ entryReference, entry, transaction, index, count, facts }) {
      const own = servicerReference(transaction);
      if (own !== undefined && own !== realReference(textAt(entry, 'AcctSvcrRef'))) return items(scoped(own));
      if (entryReference !== undefined) return items(count > 1 ? `${entryReference}#tx${index}` : entryReference);
      return items(`${escaped(scope)}#${digest(facts.map((fact) => fact ?? null))}`);
    },
  };
}

/** The account servicer's reference of a transaction: `AcctSvcrRef`, in later versions also `AcctSvcrTxId`. */
function servicerReference(transaction: Element | undefined): string | undefined {
  const named = (name: string) => realReference(textAt(transaction, 'Refs', name));
  return named('AcctSvcrRef') ?? named('AcctSvcrTxId');
}

/** The references given by the payer or by the banks between, as facts of the hash. */
export function referenceFacts(transaction: Element | undefined): (string | undefined)[] {
  const names = ['EndToEndId', 'UETR', 'TxId', 'InstrId', 'MndtId', 'ChqNb', 'ClrSysRef'];
  const named = names.map((name) => realReference(textAt(transaction, 'Refs', name)));
  const remittance = elementAt(transaction, 'RmtInf');
  // Without white space: reports of one bank break the same lines differently.
  const texts = [...elementsAt(remittance, 'Ustrd'), ...elementsAt(remittance, 'Strd', 'CdtrRefInf', 'Ref')];
  return [...named, texts.map((text) => text.text.replace(/\s/g, '')).join('')];
}

/** Gives each text back unique: the first as it is, the n-th of equal ones with `#n`. */
function createCounter(): (text: string) => string {
  // Digests instead of the texts: 100,000 entries then cost some 10 MB, and no text keeps the file's pieces alive.
  const seen = new Map<string, number>();
  return (text) => {
    const key = shortDigest(text);
    let count = (seen.get(key) ?? 0) + 1;
    let unique = nth(text, count);
    // A bank's own `X` twice must not meet an `X#2` made otherwise.
    while (count > 1 && seen.has(shortDigest(unique))) {
      count += 1;
      unique = nth(text, count);
    }
    seen.set(key, count);
    if (count > 1) seen.set(shortDigest(unique), 1);
    return unique;
  };
}

function nth(text: string, count: number): string {
  return count === 1 ? text : `${text}#${count}`;
}

/** `:` and `#` structure a reference, so a bank's own are escaped. */
function escaped(text: string): string {
  return text.length > maxReferenceLength ? digest([text]) : text.replace(/[%:#]/g, encodeURIComponent);
}

function digest(facts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 40);
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
