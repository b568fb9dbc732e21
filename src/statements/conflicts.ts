import { conflictReference, restReference } from '../ledger/bank/derived-references.ts';
import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { ReportedCredit } from '../ledger/bank/reported-credits.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../platform/money.ts';

/** Why money that contradicts the ledger is kept unmatched: codes beside those of the reader. */
export const conflictReasons = ['reference_conflict', 'details_differ'] as const;
/** One of {@link conflictReasons}. */
export type ConflictReason = (typeof conflictReasons)[number];

/** Reasons against a sum that no longer hold when its transactions are known. */
const needsDetails = new Set(['batch_without_details', 'details_in_other_message']);

/**
 * Money that contradicts an earlier report: an unmatched credit whose reference is made from its own reference and its facts. So it is
 * kept beside the credit that has the reference already, and importing the same money again gives the same reference.
 */
export function conflicting(credit: NewCredit, reason: ConflictReason, why: string): NewCredit {
  const { entryReference, entryAmount, ...facts } = credit;
  const own = [credit.amount?.toString(), credit.currency, credit.iban, credit.uetr ?? credit.endToEndId, reason];
  return {
    ...facts,
    isSum: false,
    reference: conflictReference(credit.reference, own),
    // A reason of the reader is graver, and stays.
    railReason: credit.railReason ?? reason,
    unmatched: credit.unmatched === undefined ? why : `${credit.unmatched}; ${why}`,
    facts: { ...credit.facts, entryReference, entryAmount: entryAmount?.toString() },
  };
}

/** Money whose reference the bank used before for other money. */
export function conflictingReference(credit: NewCredit, before: ReportedCredit): NewCredit {
  const text = describe(before.isSum ? before.entryAmount : before.amount, before.currency, before.iban);
  return conflicting(credit, 'reference_conflict', `the bank's reference ${credit.reference} was used before, for ${text}`);
}

/**
 * What remains of an entry's sum beside those of its transactions that are known already, which come to `known` (minor units; undefined
 * when they cannot be added up). When the rest is not known, or negative, the credit has no amount: the operator must ask the bank.
 */
export function restOfSum(sum: NewCredit, known: MinorUnits | undefined): NewCredit {
  const text = describe(sum.amount ?? null, sum.currency ?? null, null);
  const detail = known === undefined ? 'in another currency or of unknown amounts' : `that come to ${formatAmount(known)}`;
  const why = `its entry comes to ${text}, and transactions of it are known ${detail}`;
  if (known === undefined || sum.amount === undefined || known > sum.amount) {
    const { amount, ...facts } = conflicting(sum, 'details_differ', why);
    return { ...facts, facts: { ...facts.facts, amountText: amount === undefined ? undefined : formatAmount(amount) } };
  }
  const rest = { ...sum, reference: restReference(sum.reference), amount: minorUnits(sum.amount - known) };
  const railReason = sum.railReason === undefined || needsDetails.has(sum.railReason) ? 'details_differ' : sum.railReason;
  return { ...rest, railReason, unmatched: `${why}; this is the rest` };
}

function describe(amount: MinorUnits | null, currency: string | null, iban: string | null): string {
  const sum = amount === null ? 'an unknown amount' : formatAmount(amount);
  return [sum, currency?.toUpperCase(), iban === null ? undefined : `to ${iban}`].filter(Boolean).join(' ');
}
