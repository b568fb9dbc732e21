import { formatEther } from 'viem';
import type { ChainState } from './execution.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { calldataGas } from './token-gas.ts';

/** What a pool needs to know of the chain before it takes a transaction. */
export interface PoolRules {
  chainId: number;
  blockGas: number;
  /** Least tip, in wei per gas. */
  minTip: bigint;
  /** Most that a transaction may cost, in wei: go-ethereum's `--rpc.txfeecap`, 1 ether by default. */
  feeCap: bigint;
  /** Most bytes of calldata, beyond which the sequencer refuses a transaction for good; undefined where there is no such rule. */
  maxCalldata?: number | undefined;
}

/** Transactions that wait for a block, by the rules of go-ethereum. */
export interface Pool {
  /** Takes a transaction, or returns the text with which the node refuses it. */
  add(transaction: SignedTransaction, state: ChainState): string | undefined;
  /** Takes a transaction back after a reorganisation, without a look at its fees. */
  restore(transaction: SignedTransaction): void;
  drop(hash: string): void;
  has(hash: string): boolean;
  /** All transactions of all senders. */
  all(): SignedTransaction[];
  find(from: string, nonce: number): SignedTransaction | undefined;
  /** Removes what the state has made impossible: nonces that are used, and senders who cannot pay. */
  clean(state: ChainState): void;
}

/** Transactions whose nonces do not follow on that are kept for one sender (`AccountQueue`). */
const maxQueued = 64;

/** Most bytes of a transaction (`txMaxSize`). */
const maxBytes = 131_072;

/** Percent that both fees of a replacement must be higher (`PriceBump`). */
const priceBump = 10n;

/** Creates an empty pool. */
export function createPool({ chainId, blockGas, minTip, feeCap, maxCalldata = Infinity }: PoolRules): Pool {
  const bySender = new Map<string, Map<number, SignedTransaction>>();
  const of = (from: string) => bySender.get(from) ?? new Map<number, SignedTransaction>();
  const put = (transaction: SignedTransaction) => {
    bySender.set(transaction.from, of(transaction.from).set(transaction.nonce, transaction));
  };

  const refusal = (transaction: SignedTransaction, state: ChainState): string | undefined => {
    const { from, nonce, gas, data, value, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const cost = BigInt(gas) * maxFeePerGas;
    if (transaction.chainId !== chainId) return `invalid chain id for signer: have ${transaction.chainId} want ${chainId}`;
    if (cost > feeCap) return `tx fee (${formatEther(cost)} ether) exceeds the configured cap (${formatEther(feeCap)} ether)`;
    const existing = of(from).get(nonce);
    if (existing?.hash === transaction.hash) return 'already known';
    if (data.length / 2 > maxBytes) return `oversized data: transaction size ${data.length / 2}, limit ${maxBytes}`;
    if (data.length / 2 - 1 > maxCalldata) return `Calldata of transaction is greater than the allowed max of ${maxCalldata}`;
    if (gas > blockGas) return 'exceeds block gas limit';
    if (maxFeePerGas < maxPriorityFeePerGas) return 'max priority fee per gas higher than max fee per gas';
    const { intrinsic, floor } = calldataGas(data);
    if (gas < intrinsic) return `intrinsic gas too low: gas ${gas}, minimum needed ${intrinsic}`;
    if (gas < floor) return `insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${floor}`;
    if (maxPriorityFeePerGas < minTip) return `transaction underpriced: gas tip cap ${maxPriorityFeePerGas}, minimum needed ${minTip}`;
    const next = state.nonces.get(from) ?? 0;
    if (nonce < next) return `nonce too low: next nonce ${next}, tx nonce ${nonce}`;
    const balance = state.balances.get(from) ?? 0n;
    const queued = [...of(from).values()].filter((other) => other !== existing).reduce((sum, other) => sum + costOf(other), 0n);
    if (balance < cost + value) {
      return `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost + value}, overshot ${cost + value - balance}`;
    }
    if (balance < queued + cost + value) {
      const overshot = queued + cost + value - balance;
      return `insufficient funds for gas * price + value: balance ${balance}, queued cost ${queued}, tx cost ${cost + value}, overshot ${overshot}`;
    }
    if (existing && !(isBumped(existing.maxFeePerGas, maxFeePerGas) && isBumped(existing.maxPriorityFeePerGas, maxPriorityFeePerGas)))
      return 'replacement transaction underpriced';
    if (!existing && of(from).size >= maxQueued + 16) return 'account limit exceeded: pooled 80';
    return undefined;
  };

  return {
    add(transaction, state) {
      const refused = refusal(transaction, state);
      if (refused === undefined) put(transaction);
      return refused;
    },
    restore(transaction) {
      if (!of(transaction.from).has(transaction.nonce)) put(transaction);
    },
    drop(hash) {
      for (const transactions of bySender.values())
        for (const { nonce, hash: its } of transactions.values()) if (its === hash) transactions.delete(nonce);
    },
    has: (hash) =>
      [...bySender.values()].some((transactions) => [...transactions.values()].some((transaction) => transaction.hash === hash)),
    all: () => [...bySender.values()].flatMap((transactions) => Array.from(transactions.values())),
    find: (from, nonce) => of(from).get(nonce),
    clean(state) {
      for (const [from, transactions] of bySender) {
        for (const nonce of transactions.keys()) if (nonce < (state.nonces.get(from) ?? 0)) transactions.delete(nonce);
        dropUnpayable(transactions, state.balances.get(from) ?? 0n);
      }
    },
  };
}

/** The pool drops each transaction that its sender could not pay even alone. */
function dropUnpayable(transactions: Map<number, SignedTransaction>, balance: bigint): void {
  for (const transaction of transactions.values()) if (costOf(transaction) > balance) transactions.delete(transaction.nonce);
}

function costOf({ gas, maxFeePerGas, value }: SignedTransaction): bigint {
  return BigInt(gas) * maxFeePerGas + value;
}

function isBumped(before: bigint, after: bigint): boolean {
  return after * 100n >= before * (100n + priceBump) && after > before;
}
