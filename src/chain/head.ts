import type { Hex } from 'viem';
import type { Log } from '../platform/log.ts';
import { type Running, startLoop } from '../platform/loop.ts';
import { createBlockRhythm } from './block-rhythm.ts';
import { type HeadBlock, newestBlock } from './head-block.ts';
import { createHeadJudge, type HeadOptions } from './head-judge.ts';
import { describeRpcError } from './node-answer.ts';
import type { Rpc } from './endpoints/rpc.ts';

/** The newest block of a chain, as far as it is believed. */
export interface Head {
  /** Its number; undefined before the first answer. It falls only when it is sure that the chain went back. */
  number(): bigint | undefined;
  /** The block; undefined before the first answer. */
  block(): HeadBlock | undefined;
  /** The hash of a block that the newest one descends from, for the newest few blocks that were seen without a gap; undefined for any other. */
  ancestor(blockNumber: bigint): Hex | undefined;
  /** How often a block that was the head turned out to be replaced. Whoever remembers blocks looks again when this rises. */
  reorganisations(): number;
  /** Why no node is reachable, and since when; undefined while one is. */
  outage(): Outage | undefined;
  /** Calls `listener` after each new block until the returned handle is closed. */
  onBlock(listener: () => void): Running;
}

/** That no node is reachable: what the newest question ended with, and when the first one failed, in milliseconds. */
export interface Outage {
  text: string;
  since: number;
}

/** A head that asks by itself until it is closed. */
export interface RunningHead extends Head, Running {}

/** A head whose caller says when a node is asked. */
export interface PolledHead extends Head {
  /** Asks for the newest block. Never throws: what failed is the outage. */
  poll(): Promise<void>;
}

/** Blocks that are remembered: more than lie above a transaction that is closed. */
const rememberedBlocks = 64n;

/** Longest time without a look: a chain may become faster. */
const longestQuietMs = 10_000;

/** Follows the newest block of a chain, asking every `intervalMs`, and where blocks come regularly, not before the next one is nearly due. */
export function followHead(rpc: Rpc, intervalMs: number, log: Log, options: HeadOptions = {}): RunningHead {
  const head = createHead(rpc, log, options);
  const rhythm = createBlockRhythm();
  const loop = startLoop({
    name: 'head',
    intervalMs: Math.max(intervalMs, longestQuietMs),
    async turn() {
      const before = head.block()?.hash;
      await head.poll();
      const block = head.block();
      if (block === undefined || block.hash === before) return intervalMs;
      rhythm.noticed(block.number);
      return Math.max(intervalMs, rhythm.quietMs());
    },
    log,
  });
  return { ...head, close: () => loop.close() };
}

/** Creates a head that asks when it is polled. */
export function createHead(rpc: Rpc, log: Log, options: HeadOptions = {}): PolledHead {
  const judge = createHeadJudge(log, options);
  const listeners = new Set<() => void>();
  let head: HeadBlock | undefined;
  let outage: Outage | undefined;
  let reorganisations = 0;
  /** The head, and the blocks before it that each name the one before as their parent. */
  let lineage = new Map<bigint, Hex>();

  function extend({ number, hash, parentHash }: HeadBlock): void {
    if (lineage.get(number - 1n) !== parentHash || lineage.has(number)) lineage = new Map([[number - 1n, parentHash]]);
    lineage.set(number, hash);
    lineage.delete(number - rememberedBlocks);
  }

  async function follow(answered: HeadBlock): Promise<void> {
    const believed = await judge.believed(answered, head);
    if (!believed || believed.hash === head?.hash) return;
    if (head && (await isReplaced(rpc, head, believed))) reorganisations += 1;
    extend(believed);
    head = believed;
    for (const listener of listeners) listener();
  }

  return {
    async poll() {
      try {
        const answered = await newestBlock(rpc);
        if (outage !== undefined) log.info({ block: answered.number.toString() }, 'the chain can be reached again');
        outage = undefined;
        await follow(answered);
      } catch (error) {
        const text = describeRpcError(error);
        if (outage === undefined) log.warn({ err: text }, 'the chain cannot be reached');
        outage = { text, since: outage?.since ?? Date.now() };
      }
    },
    number: () => head?.number,
    block: () => head,
    ancestor: (blockNumber) => lineage.get(blockNumber),
    reorganisations: () => reorganisations,
    outage: () => outage,
    onBlock(listener) {
      listeners.add(listener);
      return {
        async close() {
          listeners.delete(listener);
        },
      };
    },
  };
}

/** Whether `previous` is no longer on the chain that ends with `next`. True when no node answers: looking again does no harm. */
async function isReplaced(rpc: Rpc, previous: HeadBlock, next: HeadBlock): Promise<boolean> {
  if (next.number <= previous.number) return true;
  if (next.number === previous.number + 1n) return next.parentHash !== previous.hash;
  const now = await rpc.getBlock({ blockNumber: previous.number }).catch(() => undefined);
  return now?.hash !== previous.hash;
}
