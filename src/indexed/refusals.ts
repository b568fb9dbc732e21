/** The text of `RedemptionRefusal.InvalidSignature`, the one refusal that any holder of an operator's key can bring about. */
export const invalidSignature = 'the signature is invalid';

/** Texts of `IssueRefusal` in contracts/src/IEMoneyToken.sol, by its number; they become an order's `rejectedReason`. */
const issueRefusals: readonly (string | undefined)[] = [undefined, 'the account is blocked', 'the account cannot hold tokens'];

/** Texts of `RedemptionRefusal` in contracts/src/IEMoneyToken.sol, by its number. */
const redemptionRefusals: readonly (string | undefined)[] = [
  undefined,
  'the message does not have the form of a payment',
  'the message names another currency',
  'the message names another amount',
  'the message has expired',
  'the holder cancelled the message',
  invalidSignature,
  'the account is blocked',
  'the account holds less than the amount',
];

/** The text of a refusal, by the kind of its leg and the number in its event. */
export function refusalText(kind: 'issue' | 'redeem', reason: number): string {
  const texts = kind === 'issue' ? issueRefusals : redemptionRefusals;
  return texts[reason] ?? `reason ${reason}`;
}
