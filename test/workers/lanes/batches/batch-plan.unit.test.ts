import { expect, it } from 'vitest';
import type { ClaimedLeg } from '../../../../src/ledger/lanes/legs.ts';
import { chainFacts, largestTransactionGas } from '../../../../src/platform/chains.ts';
import { minorUnits } from '../../../../src/platform/money.ts';
import { countFitting, gasBoundOf } from '../../../../src/workers/lanes/batches/batch-plan.ts';

const unlimited = { gas: 10n ** 12n, bytes: 10 ** 9, recoveries: undefined };
const signatureGas = 190_000n;

function redemptions(count: number, signedBy: 'key' | 'contract', signatureBytes = 65): ClaimedLeg[] {
  const leg = {
    id: '00000000-0000-7000-8000-000000000001',
    orderId: '10000000-0000-4000-8000-000000000001',
    kind: 'redeem',
    currency: 'eur',
    account: `0x${'11'.repeat(20)}`,
    amount: minorUnits(100n),
    sequence: null,
    message: 'Send EUR 1 to DE68500105178297336485 at 2026-11-20T17:03Z',
    signature: `0x${'22'.repeat(signatureBytes)}`,
    signedBy,
  };
  return Array.from({ length: count }, () => leg as unknown as ClaimedLeg);
}

it('a batch has as many legs as its gas bound allows', () => {
  const legs = redemptions(300, 'key');
  const gas = gasBoundOf(legs.slice(0, 120), signatureGas);
  expect(countFitting(legs, { ...unlimited, gas }, signatureGas)).toBe(120);
  expect(countFitting(legs, { ...unlimited, gas: gas - 1n }, signatureGas)).toBe(119);
  expect(countFitting(legs, { ...unlimited, gas: 60_000n }, signatureGas)).toBe(0);
});

it('a batch has as many legs as fit into the calldata of a transaction', () => {
  // 57 bytes of message, 48 of the item, 100 besides the batch.
  expect(countFitting(redemptions(50, 'contract', 10_000), { ...unlimited, bytes: 50_000 }, signatureGas)).toBe(4);
});

it('on Linea a batch has no more signature recoveries than a block, whatever contract accounts do', () => {
  const { blockRecoveries, transactionBytes } = chainFacts('linea');
  const limits = { gas: largestTransactionGas('linea'), bytes: transactionBytes, recoveries: blockRecoveries };
  expect(countFitting(redemptions(60, 'contract'), limits, signatureGas)).toBe(2);
  expect(countFitting(redemptions(60, 'key'), limits, signatureGas)).toBe(60);
  expect(countFitting(redemptions(200, 'key'), limits, signatureGas)).toBe(128);
  // A token whose accounts could take more than a block: one at a time.
  expect(countFitting(redemptions(60, 'contract'), limits, 500_000n)).toBe(1);
});
