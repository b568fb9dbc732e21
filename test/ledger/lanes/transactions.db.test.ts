import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  markMined,
  type NewTransaction,
  recordCancellation,
  recordReplacement,
  recordTransaction,
} from '../../../src/ledger/lanes/transactions.ts';
import { unminedTransactions, forgetRefusals, recordRefusal, unminedCost } from '../../../src/ledger/lanes/unmined-transactions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createPaymentsLedger } from '../bank/payments-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createPaymentsLedger);
let lanes = 0;

const newSigner = () => lowerAddress(`0x${String((lanes += 1)).padStart(40, '5')}`);

function attempt(hash: string, maxFeePerGas: bigint, bytes = 100) {
  return { hash: `0x${lanes}${hash}`, raw: `0x${'ab'.repeat(bytes)}`, maxFeePerGas, maxPriorityFeePerGas: 1n };
}

async function record(signer: NewTransaction['signer'], nonce: bigint, first: ReturnType<typeof attempt>): Promise<string> {
  const transaction = { chain: 'chiado', signer, nonce, kind: 'cancel', currency: null, gasLimit: 21_000n, sentAtBlock: 5n } as const;
  return recordTransaction(world.ledger, { ...transaction, attempt: first, legs: [] });
}

it('transactions in no block are read with their attempts, the newest first even when the database clock stepped back', async () => {
  const signer = newSigner();
  const mined = await record(signer, 0n, attempt('0', 1n));
  const unmined = await record(signer, 1n, attempt('1', 1n));
  await recordReplacement(world.ledger, unmined, attempt('1b', 1n), 4n);
  await recordReplacement(world.ledger, unmined, attempt('1c', 1n), 8n);
  const [first, second, third] = ['1', '1b', '1c'].map((hash) => attempt(hash, 1n).hash);
  await sql`update transaction_attempts set created_at = now() - interval '1 hour' where hash <> ${first}`.execute(world.ledger);
  await markMined(world.ledger, mined, { hash: attempt('0', 1n).hash, blockNumber: 7n, blockHash: '0x7', gasUsed: 21_000n });
  const read = await unminedTransactions(world.ledger, { chain: 'chiado', signer });
  expect(read.map(({ nonce, attempts }) => [nonce, attempts.map(({ hash }) => hash)])).toEqual([[1n, [third, second, first]]]);
});

describe('what transactions in no block may cost', () => {
  it('is nothing when there are none', async () => {
    expect(await unminedCost(world.ledger, 'chiado', newSigner())).toEqual({ transactions: 0, gasWei: 0n, longestBytes: 0 });
  });

  it('is the gas of each by the highest fee that one of its attempts offers, without those that are mined', async () => {
    const signer = newSigner();
    const first = await record(signer, 0n, attempt('a', 7n, 300));
    await recordReplacement(world.ledger, first, attempt('b', 10n), 6n);
    await recordReplacement(world.ledger, first, attempt('c', 8n), 7n);
    await record(signer, 1n, attempt('d', 20n, 200));
    const mined = await record(signer, 2n, attempt('e', 1_000n));
    await markMined(world.ledger, mined, { hash: attempt('e', 1n).hash, blockNumber: 8n, blockHash: '0xb8', gasUsed: 21_000n });
    expect(await unminedCost(world.ledger, 'chiado', signer)).toEqual({ transactions: 2, gasWei: 21_000n * 30n, longestBytes: 300 });
  });
});

describe('refusals for good', () => {
  it('are counted from the block of the first, until a node has the transaction or another attempt is recorded', async () => {
    const signer = newSigner();
    const open = async () => (await unminedTransactions(world.ledger, { chain: 'chiado', signer }))[0];
    const id = await record(signer, 0n, attempt('a', 7n));
    expect(await open()).toMatchObject({ refusals: 0, refusedSinceBlock: null, firstSentAtBlock: 5n });
    await recordRefusal(world.ledger, id, 8n);
    await recordRefusal(world.ledger, id, 9n);
    expect(await open()).toMatchObject({ refusals: 2, refusedSinceBlock: 8n });
    await forgetRefusals(world.ledger, id);
    expect(await open()).toMatchObject({ refusals: 0, refusedSinceBlock: null });
    await recordRefusal(world.ledger, id, 10n);
    await recordReplacement(world.ledger, id, attempt('b', 10n), 11n);
    expect(await open()).toMatchObject({ refusals: 0, refusedSinceBlock: null, sentAtBlock: 11n, firstSentAtBlock: 5n });
    await recordRefusal(world.ledger, id, 12n);
    await recordCancellation(world.ledger, id, { ...attempt('c', 12n), gasLimit: 30_000n }, 13n);
    expect(await open()).toMatchObject({ refusals: 0, gasLimit: 30_000n, sentAtBlock: 13n, firstSentAtBlock: 5n });
  });
});
