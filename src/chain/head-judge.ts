import type { Log } from '../platform/log.ts';
import type { Endpoint } from './endpoints/endpoints.ts';
import { type HeadBlock, newestBlock } from './head-block.ts';

/** Blocks that may appear at once, besides those that the time since the last one explains. */
const burstBlocks = 1_000n;

/** How much faster than usual a chain may be. */
const speedup = 4;

/** Blocks by which nodes of one chain may differ: one of them lags a little. */
const lagBlocks = 64n;

/** While answers are implausible, the other endpoints are asked at every fifth: about once per block. */
const compareEvery = 5;

/** Implausible answers in a row after which they are believed: about three blocks. Whatever the reason is, the chain must be followed. */
const believedAfter = 16;

/** What can be set for a head besides its client and its log. */
export interface HeadOptions {
  /** Clients of the single endpoints: an implausible block is compared with theirs. By default there is none to compare with. */
  endpoints?: readonly Pick<Endpoint, 'rpc'>[];
  /** Usual seconds between blocks, by default 1. */
  blockTimeSeconds?: number;
  /** Called with what is wrong with the newest block that was answered, and with undefined once nothing is. */
  onDoubt?: (doubt: string | undefined) => void;
  /** The time in milliseconds; by default the process's clock. */
  now?: () => number;
}

/** Decides which newest block to believe. No single answer is believed when it is far from what the time since the last block explains. */
export interface HeadJudge {
  /** The block to follow after `answered`, when `head` was the last one believed; undefined when the head stays. */
  believed(answered: HeadBlock, head: HeadBlock | undefined): Promise<HeadBlock | undefined>;
}

/** Creates a judge that has seen no answer yet. */
export function createHeadJudge(log: Log, options: HeadOptions): HeadJudge {
  const { endpoints = [], blockTimeSeconds = 1, onDoubt = () => {}, now = Date.now } = options;
  let plausibleAt = now();
  let implausible = 0;
  let isDoubted = false;

  const newestOfAll = async (answered: HeadBlock): Promise<HeadBlock[]> => {
    if (endpoints.length < 2) return [answered];
    const answers = await Promise.all(endpoints.map(({ rpc }) => newestBlock(rpc).catch(() => undefined)));
    const blocks = answers.filter((block) => block !== undefined);
    return blocks.length === 0 ? [answered] : blocks.toSorted((a, b) => (a.number > b.number ? -1 : 1));
  };

  const highestPlausible = (head: HeadBlock): bigint => {
    const elapsedSeconds = (now() - plausibleAt) / 1000;
    return head.number + burstBlocks + BigInt(Math.ceil((elapsedSeconds / blockTimeSeconds) * speedup));
  };

  const isPlausible = (block: HeadBlock, head: HeadBlock) => block.number >= head.number && block.number <= highestPlausible(head);

  const doubt = (answered: HeadBlock, head: HeadBlock) => {
    const text =
      `A node says that the newest block is ${answered.number}, after ${head.number}. That is believed when another endpoint says the same or ` +
      `when it is repeated ${believedAfter} times. Check the endpoints: one of them lags, is of another chain or is broken.`;
    log.warn(
      { answered: answered.number.toString(), head: head.number.toString() },
      'the newest block that a node answered is implausible',
    );
    isDoubted = true;
    onDoubt(text);
  };

  /** The first answer has nothing before it. With several endpoints, the block counts that two of them have reached. */
  const first = async (answered: HeadBlock): Promise<HeadBlock> => {
    plausibleAt = now();
    return secondHighest(await newestOfAll(answered));
  };

  return {
    async believed(answered, head) {
      if (!head) return first(answered);
      if (isPlausible(answered, head)) {
        if (isDoubted) onDoubt(undefined);
        isDoubted = false;
        implausible = 0;
        plausibleAt = now();
        return answered;
      }
      const isFar = answered.number > head.number || head.number - answered.number > lagBlocks;
      implausible += 1;
      if (isFar && !isDoubted) doubt(answered, head);
      if (implausible % compareEvery !== 1 || (implausible === 1 && !isFar)) return undefined;
      const all = await newestOfAll(answered);
      const next = all.find((block) => block.number > head.number && isPlausible(block, head));
      const believed = next ?? (implausible >= believedAfter ? secondHighest(all) : agreedAwayFrom(head, all));
      if (believed) plausibleAt = now();
      return believed;
    },
  };
}

/** The highest block that two endpoints confirm, unless an endpoint still confirms the head. */
function agreedAwayFrom(head: HeadBlock, descending: readonly HeadBlock[]): HeadBlock | undefined {
  if (descending.some(({ hash }) => hash === head.hash)) return undefined;
  return descending.find((block, index) => index > 0 && (descending[index - 1] as HeadBlock).number - block.number <= lagBlocks);
}

function secondHighest(descending: readonly HeadBlock[]): HeadBlock {
  return descending[Math.min(1, descending.length - 1)] as HeadBlock;
}
