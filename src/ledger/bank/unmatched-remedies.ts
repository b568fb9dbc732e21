import { isOwnPayment } from './returns/own-payments.ts';

/** Reasons (`rail_reason`) that an operator may override: after a question to the bank the credit can become an order. */
const overridableReasons = new Set(['reference_missing', 'reference_conflict', 'details_differ', 'suspected_repeat']);

/** Whether an unmatched credit with this reason can become an order of its own, once its cause is removed. */
export function isMatchable(railReason: string | null): boolean {
  return railReason === null || overridableReasons.has(railReason);
}

/** What an operator can do with an unmatched credit with this reason: commands, the usual one first. `REF` is its reference. */
export function remediesOf(railReason: string | null): string[] {
  const settle = 'mintrail bank settle REF --as own|difference:DEBIT';
  if (isOwnPayment(railReason))
    return ['mintrail bank match REF --payment ID', 'mintrail bank return REF --to-iban IBAN --to-name NAME', settle];
  if (railReason === 'suspected_repeat') return ['mintrail bank match REF', 'mintrail bank repeat REF', 'mintrail bank return REF', settle];
  const toPayer = 'mintrail bank return REF';
  return isMatchable(railReason) ? ['mintrail bank match REF', toPayer, settle] : [toPayer, settle];
}
