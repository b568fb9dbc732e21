import { expect, it } from 'vitest';
import { markMined, openTransactions, recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createPaymentsLedger } from '../bank/payments-ledger.ts';

it('a mined transaction is read with the hash under which it was mined, so that it is recorded once', async () => {
  const world = await createPaymentsLedger();
  const signer = lowerAddress(`0x${'5'.repeat(40)}`);
  const attempt = { hash: '0x1', raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const transaction = { chain: 'chiado', signer, nonce: 0n, kind: 'cancel', currency: null, gasLimit: 21_000n, sentAtBlock: 1n } as const;
  const id = await recordTransaction(world.ledger, { ...transaction, attempt, legs: [] });
  await markMined(world.ledger, id, { hash: '0x1', blockNumber: 7n, gasUsed: 21_000n });
  expect(await openTransactions(world.ledger, 'chiado', signer)).toMatchObject([{ state: 'mined', hash: '0x1', blockNumber: 7n }]);
  await world.close();
});
