import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from '../../src/platform/loop.ts';
import { ask, request } from './chain-request.ts';

/**
 * Seconds between the blocks of a chain at rest, which Anvil mines by itself. It keeps every block, and with a block in each second would have 86,400 more
 * after a day. Ponder says that no block comes after 30 seconds, a worker after 60.
 */
export const restingBlockSeconds = 20;

/** The base fee with which a chain begins. What pays less than a higher one is refused, and in no pool: only blocks make it lower. */
const usualBaseFee = 1_000_000_000;

/** How fast a chain makes blocks while there is something to mine. */
export interface BlockPace {
  url: string;
  blockTimeSeconds: number;
  /** Blocks that follow one with transactions as fast, so that it becomes final. */
  settlingBlocks: number;
  /** Called at each look while nothing is to be mined, with how many blocks there are since the first look. */
  onRest: (blocks: number) => void;
}

interface Answer<Result> {
  result?: Result;
}

/** The interval at which the chain mines by itself, its transactions in no block, and its newest block. */
type Answers = [
  Answer<number | null>,
  Answer<{ pending: string }>,
  Answer<{ number: string; transactions: string[]; baseFeePerGas?: string }>,
];

/**
 * Mines a block in each `blockTimeSeconds` while transactions wait, while one with some is not yet `settlingBlocks` deep, and while the base fee is above what
 * is usual. Begins as if the newest block had transactions. `evm_setIntervalMining` with 0 stops it, as it stops Anvil's own blocks.
 */
export function keepBlockPace({ url, blockTimeSeconds, settlingBlocks, onRest }: BlockPace): Running {
  const closing = new AbortController();
  const { signal } = closing;
  const looking = [request('anvil_getIntervalMining'), request('txpool_status'), request('eth_getBlockByNumber', ['latest', false])];
  let first: number | undefined;
  let settled = 0;

  const turn = async () => {
    const answers = (await (await ask(url, signal, looking)).json()) as Answers;
    const [interval, pool, block] = answers.map(({ result }) => result) as [
      Answers[0]['result'],
      Answers[1]['result'],
      Answers[2]['result'],
    ];
    if (!interval || !pool || !block) return;
    const newest = Number(block.number);
    const waits = Number(pool.pending) > 0;
    if (first === undefined || waits || block.transactions.length > 0) settled = newest + Number(waits) + settlingBlocks;
    first ??= newest;
    if (newest < settled || Number(block.baseFeePerGas ?? 0) > usualBaseFee) await ask(url, signal, request('evm_mine'));
    else onRest(newest - first);
  };
  const run = async () => {
    for (let due = performance.now(); !signal.aborted;) {
      // A chain that does not answer has a supervisor.
      await turn().catch(() => {});
      due = Math.max(due + blockTimeSeconds * 1_000, performance.now());
      await delay(Math.max(due - performance.now(), 0), undefined, { signal }).catch(() => {});
    }
  };
  const ended = run();
  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}
