import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';
import { idOfEndToEndId } from '../../end-to-end-id.ts';

/** Reasons (`rail_reason`) of credits that are payments of ours coming back: the payee's bank returned it, or our bank undid its debit. */
export const ownPaymentReasons = ['payment_returned', 'debit_reversed'] as const;

/** Whether a credit with this reason is a payment of ours that came back. */
export function isOwnPayment(railReason: string | null | undefined): boolean {
  return ownPaymentReasons.some((reason) => reason === railReason);
}

/** What a credit says of the payment that it brings back: the part of `facts.returned` that the ledger reads. */
interface ReturnedFacts extends Partial<
  Record<'description' | 'reason' | 'text' | 'originalEndToEndId' | 'originalInstructionId' | 'originalTransactionId', string>
> {
  /** Ids of payment files that an entry as a whole names, as the bank writes them. */
  files?: string[];
}

/** An EndToEndId of ours within a text: some banks repeat it only there. */
const idInText = /(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/gi;

/** What a credit says in words, reported or recorded. */
interface CreditTexts {
  endToEndId?: string | null;
  remittance?: string | null;
  facts?: unknown;
}

/**
 * The ids of the payments that a returned payment may be: those of its references to the original, else those in its texts. No id of a
 * payment is there by chance, because it has 74 random bits.
 */
export function paymentsNamedBy(credit: CreditTexts): string[] {
  const returned = returnedFacts(credit.facts);
  const references = [returned.originalEndToEndId, returned.originalInstructionId, returned.originalTransactionId, credit.endToEndId];
  const named = references.flatMap((reference) => idOfEndToEndId(reference ?? undefined) ?? []);
  if (named.length > 0) return [...new Set(named)];
  const texts = `${credit.remittance ?? ''} ${returned.text ?? ''}`;
  return [...new Set((texts.match(idInText) ?? []).flatMap((text) => idOfEndToEndId(text) ?? []))];
}

/** Those of them that this ledger has made. */
export async function namedPayments(ledger: Ledger, credit: CreditTexts) {
  const ids = sql<string>`any(${paymentsNamedBy(credit)}::uuid[])`;
  return ledger.selectFrom('payments').where('id', '=', ids).select(['id', 'state', 'cameBackBy']).execute();
}

/** Why the payment came back, for people; the bank's own words where it gave some. */
export function returnReason({ railReason, facts }: { railReason?: string | null | undefined; facts?: unknown }): string {
  const { description, reason, text } = returnedFacts(facts);
  const said = description ?? reason ?? text;
  if (railReason === 'debit_reversed') return said === undefined ? 'the bank took its debit back' : `the bank took its debit back: ${said}`;
  return said ?? 'the bank gave no reason';
}

/** The same of recorded or reported facts. */
export function returnedFacts(facts: unknown): ReturnedFacts {
  return (facts as { returned?: ReturnedFacts } | null | undefined)?.returned ?? {};
}
