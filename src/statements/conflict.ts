import { createHash } from 'node:crypto';
import type { NewCredit } from '../ledger/bank/credit-orders.ts';
import type { ReportedCredit } from '../ledger/bank/reported-credits.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../platform/money.ts';

/** Why money that contradicts what the ledger knows is kept unmatched: codes beside those of the reader. */
export type ConflictReason = 'reference_conflict' | 'details_differ';

/** What no longer speaks against a sum when its transactions are known. */
const needsDetails = new Set(['batch_without_details', 'details_in_other_message']);

/** Whether a credit has a reference that was made here. */
export function isContradiction({ reference }: { reference: string }): boolean {
  return /#(conflict-[0-9a-f]+|rest)$/.test(reference);
}

/**
 * Money that contradicts what is known: unmatched, under a reference made from its own and its facts. So it is kept
 * beside the credit that has the reference already, and the same file once more gives the same reference.
 */
export function conflicting(credit: NewCredit, reason: ConflictReason, why: string): NewCredit {
  const { entryReference, entryAmount, ...facts } = credit;
  const digest = createHash('sha256').update(JSON.stringify([credit.amount?.toString(), credit.currency, credit.iban, reason]));
  return {
    ...facts,
    isSum: false,
    reference: `${credit.reference}#conflict-${digest.digest('hex').slice(0, 12)}`,
    // What the rail had against the money before remains the graver reason.
    railReason: credit.railReason ?? reason,
    unmatched: credit.unmatched === undefined ? why : `${credit.unmatched}; ${why}`,
    facts: { ...credit.facts, entryReference, entryAmount: entryAmount?.toString() },
  };
}

/** The bank gave this number to other money before. */
export function conflictingReference(credit: NewCredit, before: ReportedCredit): NewCredit {
  const text = describe(before.isSum ? before.entryAmount : before.amount, before.currency, before.iban);
  return conflicting(credit, 'reference_conflict', `the bank's reference ${credit.reference} was used before, for ${text}`);
}

/**
 * What a sum holds beyond the transactions of its entry that are known already. Where that cannot be told, or they come
 * to more than the sum, an amount is left out: an operator must ask the bank.
 */
export function restOfSum(sum: NewCredit, told: MinorUnits | undefined): NewCredit {
  const text = describe(sum.amount ?? null, sum.currency ?? null, null);
  const found = told === undefined ? 'in another currency or of unknown amounts' : `that come to ${formatAmount(told)}`;
  const why = `its entry comes to ${text}, and transactions of it are known ${found}`;
  if (told === undefined || sum.amount === undefined || told > sum.amount) {
    const { amount, ...facts } = conflicting(sum, 'details_differ', why);
    return { ...facts, facts: { ...facts.facts, amountText: amount === undefined ? undefined : formatAmount(amount) } };
  }
  const rest = { ...sum, reference: `${sum.reference}#rest`, amount: minorUnits(sum.amount - told) };
  const railReason = sum.railReason === undefined || needsDetails.has(sum.railReason) ? 'details_differ' : sum.railReason;
  return { ...rest, railReason, unmatched: `${why}; this is the rest` };
}

function describe(amount: MinorUnits | null, currency: string | null, iban: string | null): string {
  const sum = amount === null ? 'an unknown amount' : formatAmount(amount);
  return [sum, currency?.toUpperCase(), iban === null ? undefined : `to ${iban}`].filter(Boolean).join(' ');
}
