import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimLegs } from '../../../src/ledger/lanes/legs.ts';
import { explainRevert, giveUpLeg, listFailingLegs, listUnexplainedReverts } from '../../../src/ledger/lanes/lone-reverts.ts';
import { markFailed, recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { type LowerAddress, lowerAddress } from '../../../src/platform/addresses.ts';
import { createCustomer } from '../../support/customer.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { placeTestRedemption } from '../../support/redemptions.ts';

const [first, second] = [lowerAddress(`0x${'a'.repeat(40)}`), lowerAddress(`0x${'b'.repeat(40)}`)];
const tokens = { eur: `0x${'e'.repeat(40)}` };
const randomHash = () => `0x${randomBytes(32).toString('hex')}`;

const { ledger, pool } = testLedger();
let profile: string;
let nonce = 0n;

beforeAll(async () => {
  ({ profile } = await createCustomer(ledger, 'chiado'));
});

beforeEach(async () => {
  await pool.query('delete from open_legs');
  const account = lowerAddress(`0x${randomBytes(20).toString('hex')}`);
  const redeemer = {
    address: account,
    profile,
    sign: async () => `0x${randomBytes(65).toString('hex')}` as const,
    signature: 'by key' as const,
  };
  await placeTestRedemption(ledger, 'chiado', redeemer);
});

const claim = async (signer: LowerAddress, isRetry: boolean) => {
  const group = { kind: 'redeem', currency: 'eur', signedBy: 'key', isRetry } as const;
  const legs = await claimLegs(ledger, { chain: 'chiado', signer, group, limit: 10, tokens, block: 0n });
  return legs.map(({ id }) => id);
};

const send = (signer: LowerAddress, legs: string[]) => {
  const attempt = { hash: randomHash(), raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const call = { kind: 'redeem', currency: 'eur', gasLimit: 21_000n, sentAtBlock: 1n } as const;
  return recordTransaction(ledger, { chain: 'chiado', signer, nonce: nonce++, ...call, attempt, legs });
};

const revert = async (transaction: string) => {
  const { hash } = await ledger
    .selectFrom('transactionAttempts')
    .where('transaction', '=', transaction)
    .select('hash')
    .executeTakeFirstOrThrow();
  await markFailed(ledger, transaction, { state: 'reverted', hash, blockNumber: 5n, blockHash: '0x5', gasUsed: 21_000n });
};

const explain = async () => {
  for (const unexplained of await listUnexplainedReverts(ledger, 'chiado'))
    await explainRevert(ledger, unexplained, { reason: 'unknown to anybody', counts: true });
};

const revertTwice = async () => {
  for (const isRetry of [false, true]) {
    await revert(await send(first, await claim(first, isRetry)));
    await explain();
  }
};

describe('a leg that reverts alone', () => {
  it('is counted also when another lane has sent it again before anybody looked into it', async () => {
    await revertTwice();
    await revert(await send(first, await claim(first, true)));
    const again = await send(second, await claim(second, true));
    await explain();
    expect(await listFailingLegs(ledger, 'chiado')).toEqual([]);
    await markFailed(ledger, again, { state: 'lost' });
    const [failing] = await listFailingLegs(ledger, 'chiado');
    expect(failing?.nonces.map(({ signer }) => signer).toSorted()).toEqual([first, second]);
  });

  it('is not given up while another lane has claimed it, nor by what was known before that lane sent it', async () => {
    await revertTwice();
    await revert(await send(first, await claim(first, true)));
    const legs = await claim(second, true);
    await explain();
    expect(await listFailingLegs(ledger, 'chiado')).toEqual([]);
    await pool.query(`update open_legs set claimed_by = null where state = 'ready'`);
    const [before] = await listFailingLegs(ledger, 'chiado');
    if (!before) throw new Error('no leg is failing');
    await pool.query(`update open_legs set claimed_by = $1 where id = any($2)`, [second, legs]);
    expect(await giveUpLeg(ledger, before, 'given up')).toBe(false);
    await markFailed(ledger, await send(second, legs), { state: 'lost' });
    expect(await giveUpLeg(ledger, before, 'given up')).toBe(false);
    const [after] = await listFailingLegs(ledger, 'chiado');
    expect(after && (await giveUpLeg(ledger, after, 'given up'))).toBe(true);
  });
});
