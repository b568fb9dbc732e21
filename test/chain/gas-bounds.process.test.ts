import { randomUUID } from 'node:crypto';
import { type Address, type Hex, parseEventLogs, size, stringToHex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { issueGasBound, redeemGasBound, type RedemptionSize } from '../../src/chain/gas-bounds.ts';
import { encodeIssue, encodeRedeem, type RedeemItem } from '../../src/chain/token/calls.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { fundedAccount, localAccount, startLocalChain, transact } from '../support/chain/local-chain.ts';
import { deployToken } from '../support/chain/token.ts';
import { delegatedAccount, deployStub } from '../support/chain/wallets.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

/** A bound that is higher than the worst case by more keeps orders out of a batch, and asks for gas money that is never spent. */
const mostSlack = 1.3;
/** EIP-7825. */
const mostGas = 16_777_216n;

const operator = fundedAccount(0);
const greatest = minorUnits(0xffff_ffffn);
const minute = new Date().toISOString().slice(0, 16);

const chain = forWholeFile(() => startLocalChain({ args: ['--no-request-size-limit'] }));

describe('an issue batch', () => {
  let token: Address;

  beforeAll(async () => {
    token = await deployToken(chain);
  });

  test.each<[string, bigint[]]>([
    ['of one item', dense(1)],
    ['of ten', dense(10)],
    ['of a hundred', dense(100)],
    ['of four hundred, over two words of the bitmap', dense(400)],
    ['with a gap after each item', dense(100).map((sequence) => sequence * 2n)],
    ['with a new word for each item', dense(100).map((sequence) => sequence * 256n)],
  ])('%s to new holders of a token without a supply', async (_, sequences) => {
    const data = encodeIssue(sequences.map((sequence) => ({ sequence, orderId: randomUUID(), account: newAddress(), amount: greatest })));
    await demandBound(token, data, issueGasBound(sequences), { event: 'Issued', count: sequences.length });
  });
});

describe('a redeem batch signed by keys', () => {
  const keys = Array.from({ length: 100 }, () => localAccount(generatePrivateKey()));
  let token: Address;

  beforeAll(async () => {
    token = await deployToken(chain);
    await issue(
      token,
      keys.map(({ address }) => address),
    );
  });

  test.each<[number, string, string]>([
    [1, 'the shortest message', `Send EUR 1 to x at ${minute}Z`],
    [10, 'the shortest message', `Send EUR 1 to x at ${minute}Z`],
    [100, 'the shortest message', `Send EUR 1 to x at ${minute}Z`],
    [1, 'zeros before the amount', `Send EUR ${'0'.repeat(300)}1 to x at ${minute}Z`],
    [10, 'zeros before the amount', `Send EUR ${'0'.repeat(300)}1 to x at ${minute}Z`],
    [50, 'zeros before the amount', `Send EUR ${'0'.repeat(963)}1 to x at ${minute}Z`],
    [100, 'some of them', `Send EUR 00000000000001.00 to x at ${minute}:00.0+00:00`],
    [100, 'an ordinary message', `Send EUR 1.00 to DE68500105178297336485 at ${new Date().toISOString()}`],
  ])('%d items, %s', async (count, _, message) => {
    const items = keys.slice(0, count).map(async (key) => redemption(key.address, message, await key.signMessage({ message })));
    const batch = await Promise.all(items);
    const bound = redeemGasBound(sizes(batch, false), 500_000n);
    await demandBound(token, encodeRedeem(batch), bound, { event: 'Redeemed', count });
  });
});

/** Loops until 256 gas are left, and approves. */
const spendsAllAndApproves: Hex = '0x5b5a61010010600057631626ba7e60e01b5f5260205ff3';
/** Uses up all its gas by the invalid instruction. */
const burnsAll: Hex = '0xfe';
/** Approves where the gas price is zero, as in an estimate, and uses up all its gas otherwise. */
const cheapWhenFree: Hex = '0x3a15600657fe5b631626ba7e60e01b5f5260205ff3';
/** Returns 400,000 bytes of zeros. */
const returnsMuch: Hex = '0x62061a805ff3';

describe.each([50_000, 500_000, 1_000_000])('a redeem batch signed by contracts that may spend %d gas', (signatureGas) => {
  let token: Address;
  let spending: Address[];
  let delegated: Address[];
  let burning: Address[];
  let bombs: Address[];

  beforeAll(async () => {
    token = await deployToken(chain, { signatureGas });
    spending = await stubs(spendsAllAndApproves);
    burning = await stubs(burnsAll);
    bombs = await stubs(returnsMuch);
    delegated = [];
    for (const code of await stubs(spendsAllAndApproves)) delegated.push((await delegatedAccount(chain, code)).address);
    await issue(token, [...spending, ...burning, ...bombs, ...delegated]);
  });

  const counts = [1, 12].flatMap((count) => [0, 65, 1_000].map((signatureBytes) => [count, signatureBytes] as const));
  const shapes = [...counts, [1, 16_000], [4, 16_000], [1, 60_000], [2, 60_000]] as const;

  test.each(shapes)('%d accounts under EIP-7702 that spend it all and approve, signatures of %d bytes', async (count, signatureBytes) => {
    const { data, bound } = batchOf(delegated.slice(0, count), signatureBytes);
    await demandBound(token, data, bound, { event: 'Redeemed', count });
  });

  test.each(shapes)('%d accounts of every other kind, signatures of %d bytes', async (count, signatureBytes) => {
    for (const accounts of [spending, burning, bombs]) {
      const { data, bound } = batchOf(accounts.slice(0, count), signatureBytes);
      await demandEvents(token, data, bound, { event: accounts === spending ? 'Redeemed' : 'RedemptionRefused', count });
    }
  });

  test('a burning account at the end, and keys beside it', async () => {
    const keys = Array.from({ length: 3 }, () => localAccount(generatePrivateKey()));
    await issue(
      token,
      keys.map(({ address }) => address),
    );
    const message = `Send EUR 1 to x at ${minute}Z`;
    const byKey = await Promise.all(keys.map(async (key) => redemption(key.address, message, await key.signMessage({ message }))));
    const byContract = burning.slice(0, 2).map((account) => redemption(account, message, '0x'));
    const bound = redeemGasBound([...sizes(byKey, false), ...sizes(byContract, true)], BigInt(signatureGas));
    const data = encodeRedeem([...byKey, ...byContract]);
    await demandEvents(token, data, bound, { event: 'RedemptionRefused', count: 2 });
  });

  test('accounts that are cheap at the gas price of an estimate, and burn all they may otherwise', async () => {
    const { data, bound } = batchOf(await funded(token, await stubs(cheapWhenFree)), 0);
    expect((await chain.estimateGas({ account: operator, to: token, data, gasPrice: 0n })) * 2n).toBeLessThan(bound);
    await demandEvents(token, data, bound, { event: 'RedemptionRefused', count: 12 });
  });

  function batchOf(accounts: readonly Address[], signatureBytes: number): { data: Hex; bound: bigint } {
    const message = `Send EUR 1 to x at ${minute}Z`;
    // Of 65 bytes, it recovers to some account.
    const signature: Hex = signatureBytes === 65 ? `0x${'11'.repeat(64)}1b` : `0x${'11'.repeat(signatureBytes)}`;
    const items = accounts.map((account) => redemption(account, message, signature));
    return { data: encodeRedeem(items), bound: redeemGasBound(sizes(items, true), BigInt(signatureGas)) };
  }
});

function dense(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(index));
}

function newAddress(): Address {
  return localAccount(generatePrivateKey()).address;
}

function stubs(code: Hex): Promise<Address[]> {
  return Promise.all(Array.from({ length: 12 }, () => deployStub(chain, { code })));
}

function redemption(account: Address, message: string, signature: Hex): RedeemItem {
  return { orderId: randomUUID(), account, amount: minorUnits(100n), message, signature };
}

function sizes(items: readonly RedeemItem[], signedByContract: boolean): RedemptionSize[] {
  return items.map(({ message, signature }) => ({
    messageBytes: size(stringToHex(message)),
    signatureBytes: size(signature),
    signedByContract,
  }));
}

let nextSequence = 0n;

async function funded(token: Address, accounts: Address[]): Promise<Address[]> {
  await issue(token, accounts);
  return accounts;
}

async function issue(token: Address, accounts: readonly Address[]): Promise<void> {
  const items = accounts.map((account) => ({ sequence: nextSequence++, orderId: randomUUID(), account, amount: greatest }));
  await transact(chain, { to: token, data: encodeIssue(items), gas: issueGasBound(items.map(({ sequence }) => sequence)) });
}

interface ExpectedEvents {
  event: 'Issued' | 'Redeemed' | 'RedemptionRefused';
  count: number;
}

/** The bound is enough for what the batch shall do, and not much more than what it needs to be carried out at all. */
async function demandBound(token: Address, data: Hex, bound: bigint, expected: ExpectedEvents): Promise<void> {
  await demandEvents(token, data, bound, expected);
  const tooLittle = BigInt(Math.ceil(Number(bound) / mostSlack)) - 1n;
  await expect(chain.call({ account: operator, to: token, data, gas: tooLittle })).rejects.toThrow(/revert|gas/i);
}

/** Sends the batch with `gas`, which must be enough, and undoes it. */
async function demandEvents(token: Address, data: Hex, gas: bigint, { event, count }: ExpectedEvents): Promise<void> {
  const id = await chain.snapshot();
  const { logs } = await transact(chain, { from: operator, to: token, data, gas: gas < mostGas ? gas : mostGas });
  await chain.revert({ id });
  expect(parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: event })).toHaveLength(count);
}
