import { type Hex, hexToBytes, bytesToHex } from 'viem';

/** What issue and redeem items have in common (contracts/src/PackedBatch.sol). */
interface PackedItem {
  /** 16 bytes. */
  orderId: Hex;
  account: Hex;
  minorUnits: bigint;
}

/** An item of `issue`. */
export interface PackedIssue extends PackedItem {
  sequence: bigint;
}

/** An item of `redeem`. */
export interface PackedRedemption extends PackedItem {
  message: Hex;
  signature: Hex;
}

const runHeaderBytes = 10;
const itemBytes = 44;
const lengthsBytes = 4;
const maxMessageBytes = 999;

/** The runs of an issue batch in their order, or undefined from where the form is wrong: the contract then reverts. */
export function* issueItems(batch: Hex): Generator<PackedIssue | undefined> {
  const bytes = hexToBytes(batch);
  for (let position = 0; position < bytes.length;) {
    const first = number(bytes, position, 8);
    const count = Number(number(bytes, position + 8, 2));
    position += runHeaderBytes;
    if (position + count * itemBytes > bytes.length || first + BigInt(count) > 1n << 64n) return yield undefined;
    for (let index = 0; index < count; index += 1, position += itemBytes)
      yield { ...item(bytes, position), sequence: first + BigInt(index) };
  }
}

/** The items of a redeem batch in their order, or undefined from where the form is wrong: the contract then reverts. */
export function* redeemItems(batch: Hex): Generator<PackedRedemption | undefined> {
  const bytes = hexToBytes(batch);
  for (let position = 0; position < bytes.length;) {
    const messageLength = Number(number(bytes, position + itemBytes, 2));
    const signatureLength = Number(number(bytes, position + itemBytes + 2, 2));
    const messageAt = position + itemBytes + lengthsBytes;
    const end = messageAt + messageLength + signatureLength;
    if (end > bytes.length || messageLength > maxMessageBytes) return yield undefined;
    const message = bytesToHex(bytes.subarray(messageAt, messageAt + messageLength));
    const signature = bytesToHex(bytes.subarray(messageAt + messageLength, end));
    yield { ...item(bytes, position), message, signature };
    position = end;
  }
}

function item(bytes: Uint8Array, position: number): PackedItem {
  return {
    orderId: bytesToHex(bytes.subarray(position, position + 16)),
    account: bytesToHex(bytes.subarray(position + 16, position + 36)),
    minorUnits: number(bytes, position + 36, 8),
  };
}

/** Big-endian; what lies beyond the end is zero, as calldata is. */
function number(bytes: Uint8Array, position: number, length: number): bigint {
  let value = 0n;
  for (let index = position; index < position + length; index += 1) value = (value << 8n) | BigInt(bytes[index] ?? 0);
  return value;
}
