import {
  concatHex,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  hexToNumber,
  hexToString,
  size,
  slice,
  stringToHex,
  toHex,
} from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { hexToUuid, uuidToHex } from '../../platform/uuid.ts';

/** A leg as an item of a call to the token contract. */
interface TokenItem {
  /** Order id, a UUID. */
  orderId: string;
  account: Hex;
  amount: MinorUnits;
}

/** Tokens to be issued for the leg of an order. The token contract mints each `sequence` at most once. */
export interface IssueItem extends TokenItem {
  sequence: bigint;
}

/** Tokens to be redeemed for the leg of an order, with the message that the holder signed. */
export interface RedeemItem extends TokenItem {
  /** At most 999 bytes. */
  message: string;
  /** At most 65,535 bytes. Empty (`0x`) where the account approved the message on chain. */
  signature: Hex;
}

/** Most items of a run: their number has two bytes. */
const maxRunLength = 65_535;

/** Calldata of `issue` (contracts/src/IEMoneyToken.sol), in the order of the sequence numbers: 44 bytes an item and 10 for each gap between them. */
export function encodeIssue(items: readonly IssueItem[]): Hex {
  const batch = concatHex(runsOf(items).map(packRun));
  return encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'issue', args: [batch] });
}

/** Calldata of `redeem`: 48 bytes an item besides its message and signature. */
export function encodeRedeem(items: readonly RedeemItem[]): Hex {
  const batch = concatHex(items.map(packRedeemItem));
  return encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'redeem', args: [batch] });
}

/** The items of a `redeem` call; undefined for any other calldata. */
export function decodeRedeem(data: Hex): RedeemItem[] | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: eMoneyTokenAbi, data });
    return functionName === 'redeem' ? unpackRedeemItems(args[0]) : undefined;
  } catch {
    return undefined;
  }
}

function unpackRedeemItems(batch: Hex): RedeemItem[] {
  const items: RedeemItem[] = [];
  for (let position = 0; position < size(batch);) {
    const read = (from: number, length: number) =>
      length === 0 ? '0x' : slice(batch, position + from, position + from + length, { strict: true });
    const [messageLength, signatureLength] = [hexToNumber(read(44, 2)), hexToNumber(read(46, 2))];
    items.push({
      orderId: hexToUuid(read(0, 16).slice(2)) ?? '',
      account: read(16, 20),
      amount: minorUnits(hexToBigInt(read(36, 8))),
      message: hexToString(read(48, messageLength)),
      signature: read(48 + messageLength, signatureLength),
    });
    position += 48 + messageLength + signatureLength;
  }
  return items;
}

/** Items grouped by sequence numbers that follow each other without a gap. */
function runsOf(items: readonly IssueItem[]): IssueItem[][] {
  const runs: IssueItem[][] = [];
  for (const item of items.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))) {
    const run = runs.at(-1);
    if (run && run.length < maxRunLength && run.at(-1)?.sequence === item.sequence - 1n) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

function packRun(run: readonly IssueItem[]): Hex {
  const [first] = run as [IssueItem];
  return concatHex([toHex(first.sequence, { size: 8 }), toHex(run.length, { size: 2 }), concatHex(run.map(packItem))]);
}

function packItem({ orderId, account, amount }: TokenItem): Hex {
  return concatHex([`0x${uuidToHex(orderId)}`, account, toHex(amount, { size: 8 })]);
}

function packRedeemItem(item: RedeemItem): Hex {
  const message = stringToHex(item.message);
  const lengths = [message, item.signature].map((bytes) => toHex(size(bytes), { size: 2 }));
  return concatHex([packItem(item), ...lengths, message, item.signature]);
}
