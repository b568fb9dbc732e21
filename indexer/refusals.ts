/** Texts of `IssueRefusal` in contracts/src/IEMoneyToken.sol, by its number; they become an order's `rejectedReason`. */
export const issueRefusals: readonly (string | undefined)[] = [undefined, 'the account is blocked', 'the account cannot hold tokens'];

/** Texts of `RedemptionRefusal` in contracts/src/IEMoneyToken.sol, by its number. */
export const redemptionRefusals: readonly (string | undefined)[] = [
  undefined,
  'the message does not have the form of a payment',
  'the message names another currency',
  'the message names another amount',
  'the message has expired',
  'the holder cancelled the message',
  'the signature is invalid',
  'the account is blocked',
  'the account holds less than the amount',
];
