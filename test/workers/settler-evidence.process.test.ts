import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Settler } from '../../src/workers/settler.ts';
import { startAnvil } from '../support/chain/anvil.ts';
import { type FaultyRpc, type Lie, startFaultyRpc } from '../support/chain/rpc-faults.ts';
import type { IndexedRow } from '../support/chain/test-index.ts';
import { fund, type Settling, startSettling } from './settling.ts';
import { until } from '../support/until.ts';

/** The hash of a transaction that is on no chain. */
const unknownHash: Hex = `0x${'ab'.repeat(32)}`;

let settling: Settling;
let first: FaultyRpc;
let second: FaultyRpc;

/** Without the alarm about the tokens that the customer got from a key that is not ours. */
const kinds = () => settling.alarms.list().flatMap(({ kind }) => (kind === 'ledger_behind' ? [] : kind));
const texts = () => settling.alarms.list().map(({ text }) => text);
const state = async (id: string, kind: 'issue' | 'redeem') => (await settling.leg(id, kind)).state;

async function start(env: Record<string, string> = {}): Promise<void> {
  settling = await startSettling(env);
  const { url } = settling.network.anvil;
  [first, second] = await Promise.all([startFaultyRpc(url), startFaultyRpc(url)]);
}

afterEach(async () => {
  await Promise.all([first?.close(), second?.close()]);
  await settling?.stop();
});

/** Another block, indexed. */
async function nextBlock(): Promise<void> {
  await settling.network.rpc.mine({ blocks: 1 });
  await settling.index.follow();
}

/** An issue that is mined and indexed. */
async function issued(amount = 500n): Promise<string> {
  const id = await settling.credit(amount);
  await settling.send('issue');
  await settling.index.follow();
  return id;
}

/** A row of the index about the customer, which may be false. */
const insert = (row: Pick<IndexedRow, 'kind' | 'txHash' | 'blockNumber' | 'orderId'> & { cents: bigint } & Partial<IndexedRow>) => {
  const { cents, ...given } = row;
  return settling.index.insert({ token: settling.token, account: settling.customer.address, amount: cents * 10n ** 16n, ...given });
};

const ofOne = () => settling.settlerWith({ rpcUrls: [first.url] });
const ofTwo = () => settling.settlerWith({ rpcUrls: [first.url, second.url] });
const lies = (method: string, lie: Lie) => ({ lies: { [method]: lie } });

describe('an outcome that the index shows', () => {
  beforeEach(() => start());

  it('settles nothing when its transaction is on no chain', async () => {
    await fund(settling, 10_000n);
    const order = await settling.redeem(1_250n);
    await settling.record('redeem');
    await settling.index.follow();
    const { id: orderId, messageHash } = order;
    await insert({ kind: 'redeem', txHash: unknownHash, blockNumber: 3n, orderId, cents: 1_250n, messageHash });
    await settling.settler.turn();
    expect(await state(order.id, 'redeem')).toBe('sent');
    expect(await settling.leg(order.id, 'payout')).toMatchObject({ state: 'waiting' });
    expect(kinds()).toEqual([]);
    settling.clock.ahead += 61_000;
    await settling.settler.turn();
    expect(kinds()).toEqual(['outcome_disagrees']);
  });

  it.each([
    ['on no chain', () => unknownHash],
    ['the same in another block', (hash: Hex) => hash],
  ])('does not hide the true one of the same message when its transaction is %s', async (_, falseHash) => {
    await fund(settling, 10_000n);
    const order = await settling.redeem(1_250n);
    const hash = await settling.send('redeem');
    await settling.index.follow();
    const { id: orderId, messageHash } = order;
    await insert({ kind: 'redeem', txHash: falseHash(hash), blockNumber: 1n, orderId, cents: 1_250n, messageHash });
    await settling.settler.turn();
    expect(await state(order.id, 'redeem')).toBe('done');
  });

  it('is proven by a receipt that was incomplete at first, at the next head', async () => {
    const id = await issued();
    const settler = ofOne();
    await first.fail(lies('eth_getTransactionReceipt', (receipt) => ({ ...(receipt as object), logs: [] })));
    await settler.turn();
    await first.heal();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    await nextBlock();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('done');
  });

  it('settles nothing when its transaction holds something else', async () => {
    const id = await settling.credit(500n);
    const { raw, hash } = await settling.record('issue');
    await settling.broadcast(raw);
    const other = await settling.credit(700n);
    await settling.record('issue');
    const { sequence } = await settling.leg(other, 'issue');
    const blockNumber = await settling.network.rpc.getBlockNumber({ cacheTime: 0 });
    await settling.index.follow();
    await insert({ kind: 'issue', txHash: hash, blockNumber, orderId: other, cents: 700n, sequence });
    await settling.settler.turn();
    expect(await state(id, 'issue')).toBe('done');
    expect(await state(other, 'issue')).toBe('sent');
  });

  it('of a number used by somebody else is believed as little: the leg keeps its number', async () => {
    const id = await settling.credit(500n);
    await settling.record('issue');
    await settling.index.follow();
    await insert({ kind: 'issue', txHash: unknownHash, blockNumber: 3n, orderId: randomUUID(), cents: 1n, sequence: 0n });
    await settling.settler.turn();
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'sent', sequence: 0n });
  });

  it('settles nothing when the receipt names a block that is not the canonical one', async () => {
    const id = await issued();
    const settler = ofOne();
    await first.fail(lies('eth_getBlockByNumber', (block) => ({ ...(block as object), hash: unknownHash })));
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    expect(kinds()).toEqual(['endpoints_disagree']);
    await first.heal();
    await nextBlock();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('done');
    expect(kinds()).toEqual([]);
  });
});

describe('the confirmed block', () => {
  it('is not the one that a single endpoint claims once to be final', async () => {
    await start({ CHIADO_CONFIRMATIONS: 'finalized' });
    const id = await issued();
    const settler = ofOne();
    await settler.turn();
    await first.fail(
      lies('eth_getBlockByNumber', (block, [tag]) => (tag === 'finalized' ? { ...(block as object), number: '0xffff' } : block)),
    );
    await settler.turn();
    await first.heal();
    await settler.turn();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    await settling.network.rpc.mine({ blocks: 3 });
    await settling.index.follow();
    await settler.turn();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('done');
  });

  it.each(['finalized', '2'])('is not the one that one of two endpoints claims (%s)', async (confirmations) => {
    await start({ CHIADO_CONFIRMATIONS: confirmations });
    const id = await issued();
    const settler = ofTwo();
    await first.fail({
      lies: {
        eth_blockNumber: () => '0x2625a00',
        eth_getBlockByNumber: (block, [tag]) => (tag === 'finalized' ? { ...(block as object), number: '0xffff' } : block),
      },
    });
    for (let turns = 0; turns < 3; turns += 1) await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    await settling.network.rpc.mine({ blocks: 3 });
    await settling.index.follow();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('done');
  });

  it('is not above the index by the number of confirmations, whatever head a single endpoint claims', async () => {
    await start({ CHIADO_CONFIRMATIONS: '2' });
    const id = await issued();
    await first.fail(lies('eth_blockNumber', () => '0x2625a00'));
    const settler = ofOne();
    await settler.turn();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
  });
});

/** How often the chain id is asked for depends on the time. */
function requestsButChainId(): number {
  return first.requests() - first.requests('eth_chainId');
}

describe('two endpoints', () => {
  beforeEach(() => start());

  it.each([
    ['denies the transaction', lies('eth_getTransactionReceipt', () => null)],
    ['has other logs', lies('eth_getTransactionReceipt', (receipt) => ({ ...(receipt as object), logs: [] }))],
    ['says that it reverted', lies('eth_getTransactionReceipt', (receipt) => ({ ...(receipt as object), status: '0x0' }))],
  ])('settle nothing while one of them %s, and name both', async (_, fault) => {
    const id = await issued();
    const settler = ofTwo();
    await second.fail(fault);
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    expect(kinds()).toEqual(['endpoints_disagree']);
    expect(texts()[0]).toContain(first.url);
    expect(texts()[0]).toContain(second.url);
    await second.heal();
    await nextBlock();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('done');
    expect(kinds()).toEqual([]);
  });

  it('park all of the network: what both agree on waits, too', async () => {
    const agreed = await issued(500n);
    const denied = await settling.credit(700n);
    const hash = await settling.send('issue');
    await settling.index.follow();
    await second.fail(lies('eth_getTransactionReceipt', (receipt, [asked]) => (asked === hash ? null : receipt)));
    await ofTwo().turn();
    expect([await state(agreed, 'issue'), await state(denied, 'issue')]).toEqual(['sent', 'sent']);
  });

  it.each(['refuses', 'null', 'not JSON'] as const)(
    'settle nothing while one of them does not answer (%s), with an alarm after a while',
    async (fault) => {
      const id = await issued();
      const settler = ofTwo();
      await second.fail(fault);
      await settler.turn();
      expect(await state(id, 'issue')).toBe('sent');
      expect(kinds()).toEqual([]);
      settling.clock.ahead += 61_000;
      await settler.turn();
      expect(kinds()).toEqual(['endpoints_missing']);
      expect(texts()[0]).toContain(second.url);
      await second.heal();
      // The endpoint rests until a probe of it is answered.
      await until('it is settled', async () => {
        await settler.turn();
        return (await state(id, 'issue')) === 'done' || undefined;
      });
      expect(kinds()).toEqual([]);
    },
  );

  it('need not agree where the operator sets a quorum of 1', async () => {
    const id = await issued();
    await second.fail('refuses');
    await settling.settlerWith({ rpcUrls: [first.url, second.url], rpcQuorum: 1 }).turn();
    expect(await state(id, 'issue')).toBe('done');
  });

  it('are asked a constant number of times for each block and transaction', async () => {
    for (let number = 1n; number <= 5n; number += 1n) await issued(number);
    const settler = ofTwo();
    await settler.turn();
    // The head; for each of five transactions its receipt and the block of its number.
    expect(requestsButChainId()).toBe(1 + 5 * 2);
    const id = await settling.credit(9n);
    await settling.record('issue');
    await nextBlock();
    await settler.turn();
    await settler.turn();
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    expect(requestsButChainId()).toBe(1 + 5 * 2 + 1);
  });

  it('that contradict each other are asked once for each block', async () => {
    await issued();
    let asked = 0;
    await second.fail(
      lies('eth_getTransactionReceipt', () => {
        asked += 1;
        return null;
      }),
    );
    const settler = ofTwo();
    for (const blocks of [1, 2]) {
      for (let turns = 0; turns < 3; turns += 1) await settler.turn();
      expect(asked).toBe(blocks);
      await nextBlock();
    }
  });

  it('of which one has stopped are named after a while', async () => {
    const settler = ofTwo();
    const id = await issued();
    const stoppedAt = await settling.network.rpc.getBlockNumber({ cacheTime: 0 });
    await second.fail(lies('eth_blockNumber', () => `0x${(stoppedAt - 1n).toString(16)}`));
    await settling.network.rpc.mine({ blocks: 400 });
    await settling.index.follow();
    await settler.turn();
    expect(kinds()).toEqual([]);
    settling.clock.ahead += 21 * 60_000;
    await settler.turn();
    expect(settling.alarms.list()).toMatchObject([{ kind: 'endpoints_missing', subject: 'lagging' }]);
    expect(await state(id, 'issue')).toBe('sent');
    await second.heal();
    await nextBlock();
    await settler.turn();
    expect(kinds()).toEqual([]);
    expect(await state(id, 'issue')).toBe('done');
  });
});

describe('three endpoints of which two must agree', () => {
  let third: FaultyRpc;
  beforeEach(async () => {
    await start();
    third = await startFaultyRpc(settling.network.anvil.url);
  });
  afterEach(() => third.close());

  const ofThree = () => settling.settlerWith({ rpcUrls: [first.url, second.url, third.url] });

  it.each([0, 1, 2])('settle what two of them have and number %i denies', async (number) => {
    const id = await issued();
    await ([first, second, third][number] as FaultyRpc).fail(lies('eth_getTransactionReceipt', () => null));
    await ofThree().turn();
    expect(await state(id, 'issue')).toBe('done');
    expect(kinds()).toEqual([]);
  });

  it('settle nothing while one denies it and another claims another outcome', async () => {
    const id = await issued();
    await first.fail(lies('eth_getTransactionReceipt', () => null));
    await third.fail(lies('eth_getTransactionReceipt', (receipt) => ({ ...(receipt as object), logs: [] })));
    await ofThree().turn();
    expect(await state(id, 'issue')).toBe('sent');
    expect(kinds()).toEqual(['endpoints_disagree']);
  });
});

describe('an endpoint of another chain', () => {
  beforeEach(() => start());

  it('is not used', async () => {
    const other = await startAnvil({ chainId: 5 });
    const id = await issued();
    const settler: Settler = settling.settlerWith({ rpcUrls: [other.url, first.url, second.url] });
    await settler.turn();
    expect(await state(id, 'issue')).toBe('done');
    expect(kinds()).toEqual([]);
    await other.stop();
  });

  it('settles nothing alone, also when it was of the right chain before', async () => {
    const id = await issued();
    const settler = ofOne();
    await first.fail(lies('eth_chainId', () => '0x5'));
    await settler.turn();
    expect(await state(id, 'issue')).toBe('sent');
    await first.heal();
    await until('the endpoint is found to be of the chain again', async () => {
      await settler.turn();
      return (await state(id, 'issue')) === 'done' || undefined;
    });
  });
});
