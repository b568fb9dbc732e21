import { randomUUID } from 'node:crypto';
import { type Address, parseGwei } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { fundedAccount, transact } from '../../support/chain/local-chain.ts';
import { operator } from '../../support/chain/network.ts';
import { correlationId, startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';
import { giveTokens } from '../../support/redemptions.ts';

let lane: SteppedLane;

beforeEach(async () => {
  lane = await startSteppedLane({ env: { CHIADO_CONFIRMATIONS: '3' } });
});

afterEach(() => lane.close());

const token = () => lane.network.tokens.eur as Address;
const admin = fundedAccount(0);

async function administer(functionName: 'pause' | 'unpause', maxFeePerGas = parseGwei('1000')): Promise<void> {
  await lane.network.rpc.writeContract({
    account: admin,
    address: token(),
    abi: eMoneyTokenAbi,
    functionName,
    gas: 100_000n,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas,
  });
}

/** Mines what is in the pool between a pause and its end, so that it reverts and neither the block before nor its own shows why. */
async function mineForNothing(): Promise<void> {
  const offers = (await lane.attempts()).map(({ maxFeePerGas }) => maxFeePerGas);
  await administer('pause');
  // Anvil takes the highest offers first.
  await administer('unpause', offers.reduce((least, offer) => (offer < least ? offer : least)) - 1n);
  await lane.blocks(1);
}

const batches = async () => {
  const rows = await lane.ledger
    .selectFrom('legs')
    .where('state', '=', 'sent')
    .groupBy('transaction')
    .select((select) => select.fn.countAll<bigint>().as('legs'))
    .execute();
  return rows.map(({ legs }) => Number(legs)).toSorted((a, b) => b - a);
};
const orders = async () => (await lane.ledger.selectFrom('orders').orderBy('id').select('state').execute()).map(({ state }) => state);
const reverts = async () => (await lane.transactions()).filter(({ state }) => state === 'reverted').length;
const loneReverts = async () => (await lane.ledger.selectFrom('legs').select('loneReverts').execute()).map((leg) => leg.loneReverts);

describe('the legs of a reverted transaction', () => {
  it('travel in batches of half the size, apart from new ones, also after a restart', async () => {
    for (const amount of [100n, 200n, 300n, 400n]) await lane.credit(amount);
    await lane.turn();
    expect(await batches()).toEqual([4]);
    await mineForNothing();
    expect(await batches()).toEqual([2, 2]);
    await lane.restart();
    await lane.credit(500n);
    await lane.turn();
    expect(await batches()).toEqual([2, 2, 1]);
    await mineForNothing();
    expect(await batches()).toEqual([1, 1, 1, 1, 1]);
    await lane.blocks(1);
    expect(await lane.balance()).toBe(1500n);
    expect(lane.loggedFor('transaction reverted')).toEqual([1, 2, 3, 4].map(() => [correlationId]));
    expect(lane.loggedFor('transaction mined')).toEqual([1, 2, 3, 4, 5].map(() => [correlationId]));
  });

  it('do not count against them while the contract has a reason for the whole call', async () => {
    await lane.credit(100n);
    await lane.turn();
    for (let round = 1; round <= 4; round += 1) {
      await administer('pause');
      await lane.blocks(1);
      expect(await reverts()).toBe(round);
      expect(await loneReverts()).toEqual([0]);
      await administer('unpause');
      lane.clock.ahead += 10_000;
      await lane.blocks(1);
      expect(await batches()).toEqual([1]);
    }
    await lane.blocks(5);
    expect(await lane.balance()).toBe(100n);
    expect(await lane.ledger.selectFrom('legs').select('sequence').execute()).toEqual([{ sequence: 0n }]);
    expect(lane.alarmsOf('repeated_reverts')).toEqual([]);
  });
});

describe('a leg that reverts alone three times', () => {
  beforeEach(async () => {
    await lane.credit(100n);
    await lane.turn();
    for (let round = 0; round < 3; round += 1) await mineForNothing();
    expect(await loneReverts()).toEqual([3]);
  });

  it('is not sent again, and is refused once it is final that it can never happen', async () => {
    expect(await batches()).toEqual([]);
    expect(await orders()).toEqual(['pending']);
    expect(lane.alarmsOf('repeated_reverts')[0]).toContain('1 orders revert in transactions of their own');
    await lane.blocks(2);
    expect(await orders()).toEqual(['pending']);
    await lane.restart();
    await lane.blocks(2);
    expect(await orders()).toEqual(['rejected']);
    expect(await lane.ledger.selectFrom('credits').select(['state', 'orderId']).execute()).toEqual([{ state: 'unmatched', orderId: null }]);
    expect(await reverts()).toBe(3);
    await lane.blocks(1);
    expect(lane.alarmsOf('repeated_reverts')).toEqual([]);
  });

  it('is sent once more, and not refused, if it has happened after all', async () => {
    const [leg] = await lane.ledger.selectFrom('legs').selectAll().execute();
    const thief = fundedAccount(8);
    await giveTokens(lane.network.rpc, token(), [thief.address]);
    const item = {
      sequence: leg?.sequence ?? 0n,
      orderId: leg?.orderId ?? randomUUID(),
      account: lane.customer.address,
      amount: minorUnits(100n),
    };
    await transact(lane.network.rpc, { from: thief, to: token(), data: encodeIssue([item]) });
    await lane.blocks(5);
    expect(await orders()).toEqual(['pending']);
    expect(await batches()).toEqual([1]);
    expect(await lane.balance()).toBe(100n);
  });

  it('is refused though no node has the state of a block as old as a final one', async () => {
    let head = 0n;
    const isPruned = (tag: unknown) => typeof tag === 'string' && tag.startsWith('0x') && BigInt(tag) + 3n <= head;
    const ofState = (result: unknown, params: readonly unknown[]) => (isPruned(params[1]) ? undefined : result);
    await lane.node.fail({ lies: { eth_call: ofState, eth_getTransactionCount: ofState } });
    for (let mined = 0; mined < 6; mined += 1) {
      head = (await lane.network.rpc.getBlockNumber({ cacheTime: 0 })) + 1n;
      await lane.blocks(1);
    }
    expect(await orders()).toEqual(['rejected']);
  });

  it('is not refused when the block behind which it was undecided was replaced', async () => {
    await lane.blocks(2);
    const [hash, lie] = [`0x${'5'.repeat(64)}`, (result: unknown) => ({ ...(result as object), hash })];
    await lane.node.fail({
      lies: { eth_getBlockByNumber: (result, [tag]) => (typeof tag === 'string' && tag.startsWith('0x') ? lie(result) : result) },
    });
    await lane.blocks(1);
    expect(await orders()).toEqual(['pending']);
    await lane.node.heal();
    await lane.blocks(8);
    expect(await orders()).toEqual(['rejected']);
  });

  it('waits while an endpoint shows one of its nonces as unused', async () => {
    await lane.network.rpc.setNonce({ address: operator.address, nonce: 1 });
    await lane.blocks(5);
    expect(await orders()).toEqual(['pending']);
  });
});

it('an endpoint that hangs holds up no turn while a leg may be given up', async () => {
  const hanging = await startSteppedLane({ env: { CHIADO_CONFIRMATIONS: '1' }, endpoints: 2 });
  try {
    await hanging.credit(100n);
    await hanging.blocks(1);
    await hanging.ledger.updateTable('openLegs').set({ state: 'ready', transaction: null, loneReverts: 3 }).execute();
    await hanging.ledger
      .insertInto('legFailures')
      .columns(['leg', 'outcome', 'transaction', 'alone', 'reason'])
      .expression((select) =>
        select
          .selectFrom(['legs', 'transactions'])
          .select((row) => [
            'legs.id',
            row.val('reverted').as('o'),
            'transactions.id as t',
            row.lit(true).as('a'),
            row.val('none').as('r'),
          ]),
      )
      .execute();
    await hanging.nodes[1]?.fail('hangs');
    await hanging.blocks(2);
    expect(hanging.nodes[1]?.waiting(), 'the turn did not wait for the end of the request').toBeGreaterThan(0);
    expect(hanging.lane.facts().held).toBe(true);
    expect(hanging.alarmsOf('repeated_reverts')).toHaveLength(1);
  } finally {
    await hanging.close();
  }
});
