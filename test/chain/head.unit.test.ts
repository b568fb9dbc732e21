import { beforeEach, describe, expect, it } from 'vitest';
import { createHead, type PolledHead } from '../../src/chain/head.ts';
import type { Rpc } from '../../src/chain/endpoints/rpc.ts';
import { createLog } from '../../src/platform/log.ts';

/** A node's answers: the newest block, and the hash of each block by `fork`. */
interface FakeNode {
  newest: bigint;
  /** Blocks from this one on have other hashes. */
  forkedFrom: bigint;
  requests: number;
}

const log = createLog('silent');
let nodes: [FakeNode, FakeNode];
let time: number;
let doubts: (string | undefined)[];
let blocksSeen: bigint[];

beforeEach(() => {
  nodes = [0, 1].map(() => ({ newest: 100n, forkedFrom: 10n ** 9n, requests: 0 })) as [FakeNode, FakeNode];
  time = 0;
  doubts = [];
  blocksSeen = [];
});

function rpcOf(node: FakeNode): Rpc {
  const hash = (number: bigint) => `0x${number.toString(16)}${number >= node.forkedFrom ? 'f' : '0'}`;
  const getBlock = async ({ blockNumber: number = node.newest }: { blockNumber?: bigint }) => {
    node.requests += 1;
    if (number > node.newest) throw new Error('no such block');
    return { number, hash: hash(number), parentHash: hash(number - 1n), baseFeePerGas: 7n };
  };
  return { getBlock } as unknown as Rpc;
}

function headOf({ endpoints = 1 }: { endpoints?: number } = {}): PolledHead {
  const head = createHead(rpcOf(nodes[0]), log, {
    endpoints: nodes.slice(0, endpoints).map((node) => ({ rpc: rpcOf(node) })),
    blockTimeSeconds: 5,
    onDoubt: (doubt) => doubts.push(doubt),
    now: () => time,
  });
  head.onBlock(() => blocksSeen.push(head.number() as bigint));
  return head;
}

async function poll(head: PolledHead, times = 1): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    time += 1_000;
    await head.poll();
  }
}

describe('the head', () => {
  it('costs one request for each block, and knows its hash and base fee', async () => {
    const head = headOf();
    await poll(head);
    nodes[0].newest = 101n;
    await poll(head);
    expect(head.block()).toEqual({ number: 101n, hash: '0x650', parentHash: '0x640', baseFeePerGas: 7n });
    expect(blocksSeen).toEqual([100n, 101n]);
    expect(nodes[0].requests).toBe(2);
    expect(head.reorganisations()).toBe(0);
  });

  it('notices a reorganisation by the parent, by the block before a leap, and by another block of the same height', async () => {
    const head = headOf();
    await poll(head);
    Object.assign(nodes[0], { newest: 101n, forkedFrom: 100n });
    await poll(head);
    expect(head.reorganisations()).toBe(1);
    Object.assign(nodes[0], { newest: 104n });
    await poll(head);
    expect(head.reorganisations()).toBe(1);
    Object.assign(nodes[0], { newest: 108n, forkedFrom: 200n });
    await poll(head);
    expect(head.reorganisations()).toBe(2);
    Object.assign(nodes[0], { forkedFrom: 108n });
    await poll(head);
    expect(head.reorganisations()).toBe(3);
    expect(blocksSeen).toEqual([100n, 101n, 104n, 108n, 108n]);
  });

  it('knows the blocks that it descends from, as far as it has seen them without a gap', async () => {
    const head = headOf();
    for (nodes[0].newest = 100n; nodes[0].newest <= 102n; nodes[0].newest += 1n) await poll(head);
    expect([99n, 101n, 102n].map((number) => head.ancestor(number))).toEqual(['0x630', '0x650', '0x660']);
    nodes[0].forkedFrom = 102n;
    await poll(head);
    // The block 103 has another parent than the one that was seen.
    expect([101n, 102n, 103n].map((number) => head.ancestor(number))).toEqual([undefined, '0x66f', '0x67f']);
    nodes[0].newest = 105n;
    await poll(head);
    expect([103n, 104n, 105n].map((number) => head.ancestor(number))).toEqual([undefined, '0x68f', '0x69f']);
  });

  it('does not believe one absurd answer', async () => {
    const head = headOf();
    await poll(head);
    nodes[0].newest = 40_000_000n;
    await poll(head);
    expect(head.number()).toBe(100n);
    expect(doubts).toEqual([expect.stringContaining('newest block is 40000000, after 100')]);
    nodes[0].newest = 101n;
    await poll(head);
    expect(head.number()).toBe(101n);
    expect(doubts.at(-1)).toBeUndefined();
  });

  it('goes back to the chain after an absurd answer that it had to believe', async () => {
    nodes[0].newest = 40_000_000n;
    const head = headOf();
    await poll(head);
    expect(head.number()).toBe(40_000_000n);
    nodes[0].newest = 101n;
    await poll(head, 20);
    expect(head.number()).toBe(101n);
    expect(head.reorganisations()).toBe(1);
  });

  it('begins with what two endpoints have reached', async () => {
    nodes[0].newest = 40_000_000n;
    const head = headOf({ endpoints: 2 });
    await poll(head);
    expect(head.number()).toBe(100n);
  });

  it('follows the other endpoint while the first one lies', async () => {
    const head = headOf({ endpoints: 2 });
    await poll(head);
    Object.assign(nodes[0], { newest: 40_000_000n });
    for (let block = 101n; block <= 110n; block += 1n) {
      nodes[1].newest = block;
      await poll(head, 5);
    }
    expect(head.number()).toBe(110n);
    expect(doubts).toHaveLength(1);
  });

  it('follows the other endpoint while the first one stands still', async () => {
    const head = headOf({ endpoints: 2 });
    nodes[1].newest = 170n;
    await poll(head);
    nodes[1].newest = 171n;
    expect(head.number()).toBe(100n);
    nodes[0].newest = 175n;
    await poll(head);
    nodes[0].newest = 100n;
    nodes[1].newest = 190n;
    await poll(head, 5);
    expect(head.number()).toBe(190n);
  });

  it('ignores a node that lags a little, and believes it when nothing else comes for three blocks', async () => {
    const head = headOf();
    await poll(head);
    nodes[0].newest = 98n;
    await poll(head, 10);
    expect(head.number()).toBe(100n);
    await poll(head, 10);
    expect(head.number()).toBe(98n);
    expect(doubts).toEqual([]);
  });

  it('goes back at once when two endpoints do, such as after a deep reorganisation', async () => {
    const head = headOf({ endpoints: 2 });
    await poll(head);
    for (const node of nodes) Object.assign(node, { newest: 20n, forkedFrom: 5n });
    await poll(head);
    expect(head.number()).toBe(20n);
    expect(head.reorganisations()).toBe(1);
  });

  it('believes a leap that the time since the last block explains', async () => {
    const head = headOf();
    await poll(head);
    time += 24 * 3_600_000;
    nodes[0].newest = 100n + 24n * 720n;
    await poll(head);
    expect(head.number()).toBe(17_380n);
    expect(doubts).toEqual([]);
  });
});
