import { decodeErrorResult, encodeFunctionData, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type MinorUnits, toTokenUnits } from '../../platform/money.ts';
import { uuidToHex } from '../../platform/uuid.ts';

/** A leg as an item of a call to the token contract. */
export interface TokenItem {
  /** Order id, a UUID. */
  orderId: string;
  account: Hex;
  amount: MinorUnits;
}

/** Calldata of `issue` (contracts/src/IEMoneyToken.sol). */
export function encodeIssue(items: readonly (TokenItem & { sequence: bigint })[]): Hex {
  return encodeFunctionData({
    abi: eMoneyTokenAbi,
    functionName: 'issue',
    args: [items.map((item) => ({ ...commonFields(item), sequence: item.sequence }))],
  });
}

/** Calldata of `redeem` (contracts/src/IEMoneyToken.sol). */
export function encodeRedeem(items: readonly (TokenItem & { message: string; signature: Hex })[]): Hex {
  return encodeFunctionData({
    abi: eMoneyTokenAbi,
    functionName: 'redeem',
    args: [items.map((item) => ({ ...commonFields(item), message: item.message, signature: item.signature }))],
  });
}

function commonFields({ orderId, account, amount }: TokenItem) {
  return { orderId: `0x${uuidToHex(orderId)}` as const, account, amount: toTokenUnits(amount) };
}

/** The name and arguments of the error with which a whole call reverted. */
export function describeRevert(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: eMoneyTokenAbi, data });
    return `${errorName}(${(args ?? []).join(', ')})`;
  } catch {
    return `an unknown error, ${data.slice(0, 10)}`;
  }
}
