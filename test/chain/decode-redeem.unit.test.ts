import { expect, it } from 'vitest';
import { decodeRedeem, encodeIssue, encodeRedeem, type RedeemItem } from '../../src/chain/token/calls.ts';
import { minorUnits } from '../../src/platform/money.ts';

const item: RedeemItem = {
  orderId: '0197c7a1-0000-7000-8000-000000000001',
  account: `0x${'ab'.repeat(20)}`,
  amount: minorUnits(1_250n),
  message: 'Send EUR 12.50 to 0x1234567890123456789012345678901234567890 on gnosis at 2026-11-22T10:00Z',
  signature: `0x${'11'.repeat(65)}`,
};

it('reads back the items of a redeem call, also one without a signature', () => {
  const items = [item, { ...item, message: 'Send EUR 1 to Jón at 2026-11-22T10:00Z', signature: '0x' as const }, item];
  expect(decodeRedeem(encodeRedeem(items))).toEqual(items);
});

it('reads nothing of other calldata, or of a batch that ends in the middle of an item', () => {
  expect(decodeRedeem(encodeIssue([{ ...item, sequence: 1n }]))).toBeUndefined();
  expect(decodeRedeem('0x')).toBeUndefined();
  expect(decodeRedeem(encodeRedeem([item]).replace('00000000000004e2', '00000000000004e2ffff') as `0x${string}`)).toBeUndefined();
});
