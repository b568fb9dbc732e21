import { type Hex, keccak256, stringToHex } from 'viem';
import { type ChainState, type ExecutedTransaction, executeTransaction, priceOf } from './execution.ts';
import { createPool, type Pool, type PoolRules } from './pool.ts';
import type { SignedTransaction } from './signed-transaction.ts';

/** A block; its parents form the chain that it ends. */
export interface Block {
  number: bigint;
  hash: Hex;
  parent: Block | undefined;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** Wei per gas. */
  baseFee: bigint;
  gasUsed: number;
  /** What other users tip, in wei per gas. */
  marketTip: bigint;
  transactions: ExecutedTransaction[];
  /** After its transactions. */
  state: ChainState;
}

/** The other users of a chain while a block is made. */
export interface Market {
  /** Part of a block's gas that they fill, from 0 to 1. */
  load: number;
  /** Wei per gas that they tip: whoever tips less gets only the gas that they leave. */
  tip: bigint;
}

/** What makes one block differ from the next. */
export interface BlockOptions {
  timestamp: bigint;
  market: Market;
  /** Transactions that never were in the pool and go first: a private way to the makers of blocks. */
  first?: readonly SignedTransaction[];
  /** Takes nothing from the pool. */
  isEmpty?: boolean;
  /** Distinguishes blocks of one number. */
  fork?: string;
}

/** A chain of one node, with its pool. All blocks that ever were are kept. */
export interface Chain {
  rules: ChainRules;
  pool: Pool;
  /** The end of the canonical chain. */
  tip(): Block;
  /** The genesis block. */
  genesis: Block;
  /** Adds a block to the canonical chain. */
  mine(options: BlockOptions): Block;
  /** Makes a block on any other, which stays outside the canonical chain. */
  fork(parent: Block, options: BlockOptions): Block;
  /** Makes another block the end of the chain; the transactions of the blocks that leave it return to the pool unless `keeps` denies it. */
  reorganise(tip: Block, keeps: (transaction: SignedTransaction) => boolean): void;
  find(hash: string): Block | undefined;
}

/** Rules of a chain. */
export interface ChainRules extends PoolRules {
  /** Blocks behind the tip of the newest `safe` one. */
  safeDepth: bigint;
  /** Blocks behind the tip of the newest `finalized` one. */
  finalizedDepth: bigint;
}

const elasticity = 2;
const baseFeeChangeDenominator = 8n;

/** Starts a chain with this state. */
export function createChain(rules: ChainRules, state: ChainState, { timestamp, baseFee }: { timestamp: bigint; baseFee: bigint }): Chain {
  const pool = createPool(rules);
  const genesis: Block = {
    number: 0n,
    hash: keccak256(stringToHex(`genesis of ${rules.chainId}`)),
    parent: undefined,
    timestamp,
    baseFee,
    gasUsed: rules.blockGas / elasticity,
    marketTip: rules.minTip,
    transactions: [],
    state,
  };
  const blocks = new Map<string, Block>([[genesis.hash, genesis]]);
  let tip = genesis;

  const build = (parent: Block, options: BlockOptions): Block => {
    const block = { number: parent.number + 1n, parent, timestamp: options.timestamp, baseFee: nextBaseFee(parent, rules.blockGas) };
    const filled = fill(parent.state, block, rules, options, options.isEmpty ? [] : pool.all());
    const content = `${parent.hash} ${options.timestamp} ${options.fork ?? ''} ${filled.transactions.map(({ transaction }) => transaction.hash).join()}`;
    const built: Block = { ...block, ...filled, marketTip: options.market.tip, hash: keccak256(stringToHex(content)) };
    blocks.set(built.hash, built);
    return built;
  };

  return {
    rules,
    pool,
    genesis,
    tip: () => tip,
    find: (hash) => blocks.get(hash),
    fork: build,
    mine(options) {
      tip = build(tip, options);
      pool.clean(tip.state);
      return tip;
    },
    reorganise(newTip, keeps) {
      const stays = new Set<Block>(ancestry(newTip));
      const gone: Block[] = [];
      for (const block of ancestry(tip)) {
        if (stays.has(block)) break;
        gone.push(block);
      }
      tip = newTip;
      for (const { transactions } of gone.toReversed())
        for (const { transaction } of transactions) if (keeps(transaction)) pool.restore(transaction);
      pool.clean(tip.state);
    },
  };
}

/** A block and all before it, the newest first. */
export function* ancestry(tip: Block): Generator<Block> {
  for (let block: Block | undefined = tip; block; block = block.parent) yield block;
}

/** The block of a number on the chain that `tip` ends; undefined beyond it. */
export function blockAt(tip: Block, number: bigint): Block | undefined {
  for (const block of ancestry(tip)) if (block.number === number) return block;
  return undefined;
}

/** A transaction on the chain that `tip` ends. */
export function findMined(
  tip: Block,
  hash: string,
): { block: Block; executed: ExecutedTransaction; index: number; firstLogIndex: number } | undefined {
  for (const block of ancestry(tip)) {
    const index = block.transactions.findIndex(({ transaction }) => transaction.hash === hash);
    if (index < 0) continue;
    const firstLogIndex = block.transactions.slice(0, index).reduce((sum, { events }) => sum + events.length, 0);
    return { block, executed: block.transactions[index] as ExecutedTransaction, index, firstLogIndex };
  }
  return undefined;
}

/** The base fee of the block after another (EIP-1559). */
export function nextBaseFee({ baseFee, gasUsed }: Block, blockGas: number): bigint {
  const target = BigInt(blockGas / elasticity);
  const difference = BigInt(gasUsed) - target;
  const change = (baseFee * (difference < 0n ? -difference : difference)) / target / baseFeeChangeDenominator;
  if (difference > 0n) return baseFee + (change > 0n ? change : 1n);
  return baseFee > change + 7n ? baseFee - change : 7n;
}

/** Takes transactions in the order of their tips, each sender's in the order of their nonces, as far as there is gas for them. */
function fill(
  before: ChainState,
  block: { timestamp: bigint; baseFee: bigint },
  { blockGas }: ChainRules,
  { market, first = [] }: BlockOptions,
  pooled: SignedTransaction[],
): Pick<Block, 'state' | 'transactions' | 'gasUsed'> {
  let state = before;
  const transactions: ExecutedTransaction[] = [];
  let own = 0;
  const take = (transaction: SignedTransaction) => {
    const result = executeTransaction(state, transaction, block);
    state = result.state;
    own += result.executed.gasUsed;
    transactions.push(result.executed);
  };
  const isPossible = (transaction: SignedTransaction) => {
    const { from, nonce, gas, value, maxFeePerGas } = transaction;
    const tip = priceOf(transaction, block.baseFee) - block.baseFee;
    const room = tip >= market.tip ? blockGas : Math.floor(blockGas * (1 - market.load));
    return (
      nonce === (state.nonces.get(from) ?? 0) &&
      maxFeePerGas >= block.baseFee &&
      own + gas <= room &&
      (state.balances.get(from) ?? 0n) >= BigInt(gas) * maxFeePerGas + value
    );
  };
  for (const transaction of first) if (isPossible(transaction)) take(transaction);
  const waiting = new Set(pooled);
  for (;;) {
    let best: SignedTransaction | undefined;
    for (const transaction of waiting)
      if (isPossible(transaction) && (!best || priceOf(transaction, block.baseFee) > priceOf(best, block.baseFee))) best = transaction;
    if (!best) break;
    waiting.delete(best);
    take(best);
  }
  const others = Math.min(Math.floor(blockGas * market.load), blockGas - own);
  return { state, transactions, gasUsed: own + others };
}
