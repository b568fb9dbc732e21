import { type Hex, hexToBytes } from 'viem';

/** Gas that the token needs beside a contract account's stipend (`CALL_OVERHEAD` in contracts/src/HolderSignature.sol). */
export const callOverheadGas = 10_000;

/**
 * Gas of the parts of a call through the proxy: measured on the real contract and fitted over 1,300 random calls.
 * token-model.process.test.ts compares: a few thousand gas off.
 */
export const tokenGas = {
  /** The proxy, the role, the pause and the limits. */
  dispatch: 17_000,
  /** Reading a word of 256 sequence numbers. */
  sequenceWord: 2_400,
  /** Writing a word of storage that was zero. */
  newWord: 27_500,
  /** Writing a word of storage that was not zero. */
  changedWord: 2_950,
  usedSequence: 550,
  emptyItem: 700,
  issue: 9_750,
  /** To an account that never had tokens. */
  issueToNew: 28_400,
  /** To an account that an item before was for. */
  issueAgain: 5_100,
  refusedIssue: 5_700,
  refusedIssueAgain: 4_000,
  /** Reading an item and its message. */
  redeemItem: 4_000,
  keyRecovery: 3_800,
  /** Looking whether a contract account was asked before, and asking it; without what it uses itself. */
  falseSignature: 2_500,
  accountAccess: 2_200,
  decision: 24_000,
  falseDecision: 23_500,
  refusedRedemption: 5_600,
  redeemed: 6_700,
  transfer: 12_000,
};

/** Gas of a transaction before its code runs, and the least that it pays for its calldata (EIP-2028, EIP-7623). */
export function calldataGas(data: Hex): { intrinsic: number; floor: number } {
  const bytes = hexToBytes(data);
  let zeros = 0;
  for (const byte of bytes) if (byte === 0) zeros += 1;
  const tokens = zeros + 4 * (bytes.length - zeros);
  return { intrinsic: 21_000 + 4 * tokens, floor: 21_000 + 10 * tokens };
}
