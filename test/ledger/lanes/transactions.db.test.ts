import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { markMined, recordReplacement, recordTransaction, unminedTransactions } from '../../../src/ledger/lanes/transactions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createPaymentsLedger } from '../bank/payments-ledger.ts';

const attempt = (hash: string) => ({ hash, raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n });

it('transactions in no block are read with their attempts, the newest first even when the database clock stepped back', async () => {
  const world = await createPaymentsLedger();
  const lane = { chain: 'chiado', signer: lowerAddress(`0x${'5'.repeat(40)}`) } as const;
  const send = (nonce: bigint) =>
    recordTransaction(world.ledger, {
      ...lane,
      nonce,
      kind: 'cancel',
      currency: null,
      gasLimit: 21_000n,
      sentAtBlock: 1n,
      attempt: attempt(`0x${nonce}`),
      legs: [],
    });
  const mined = await send(0n);
  const unmined = await send(1n);
  await recordReplacement(world.ledger, unmined, attempt('0x1b'), 4n);
  await recordReplacement(world.ledger, unmined, attempt('0x1c'), 8n);
  await sql`update transaction_attempts set created_at = now() - interval '1 hour' where hash <> '0x1'`.execute(world.ledger);
  await markMined(world.ledger, mined, { hash: '0x0', blockNumber: 7n, blockHash: '0x7', gasUsed: 21_000n });
  const read = await unminedTransactions(world.ledger, lane);
  expect(read.map(({ nonce, attempts }) => [nonce, attempts.map(({ hash }) => hash)])).toEqual([[1n, ['0x1c', '0x1b', '0x1']]]);
  await world.close();
});
