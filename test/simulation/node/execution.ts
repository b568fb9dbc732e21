import type { Address, Hex } from 'viem';
import type { ContractAccountKind } from './contract-accounts.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import type { TokenEvent } from './token-events.ts';
import { calldataGas } from './token-gas.ts';
import { callToken, type TokenState } from './token-model.ts';

/** What the chain keeps after a block. It is never changed: a transaction makes a new one. */
export interface ChainState {
  /** By address in lower case. */
  tokens: ReadonlyMap<string, TokenState>;
  nonces: ReadonlyMap<string, number>;
  /** Wei. */
  balances: ReadonlyMap<string, bigint>;
  contracts: ReadonlyMap<string, ContractAccountKind>;
}

/** A call that is tried and leaves nothing behind, or the call of a transaction. */
export interface Call {
  from: Address;
  to: Address | undefined;
  data: Hex;
  /** For the whole transaction. */
  gas: number;
  /** Wei; 0 where an estimate names no fees. */
  gasPrice: bigint;
}

/** What a call did to the tokens. */
export type CallOutcome =
  | { status: 'success'; tokens: ReadonlyMap<string, TokenState>; events: TokenEvent[]; gasUsed: number; result: Hex }
  | { status: 'reverted'; data: Hex; gasUsed: number }
  | { status: 'out of gas'; gasUsed: number };

/** Executes a call at a time, in seconds since 1970. */
export function executeCall(state: ChainState, call: Call, timestamp: bigint): CallOutcome {
  const { intrinsic, floor } = calldataGas(call.data);
  if (call.gas < Math.max(intrinsic, floor)) return { status: 'out of gas', gasUsed: call.gas };
  const token = call.to && state.tokens.get(call.to);
  const gasUsed = (used: number) => Math.min(Math.max(intrinsic + used, floor), call.gas);
  if (!token) return { status: 'success', tokens: state.tokens, events: [], gasUsed: gasUsed(0), result: '0x' };
  const context = { sender: call.from, timestamp, gasPrice: call.gasPrice, gas: call.gas - intrinsic, contracts: state.contracts };
  const outcome = callToken(token, call.data, context);
  if ('outOfGas' in outcome) return { status: 'out of gas', gasUsed: call.gas };
  if ('reverted' in outcome) return { status: 'reverted', data: outcome.reverted, gasUsed: gasUsed(outcome.gasUsed) };
  const tokens = new Map(state.tokens).set(token.address, outcome.state);
  return { status: 'success', tokens, events: outcome.events, gasUsed: gasUsed(outcome.gasUsed), result: outcome.result };
}

/** A transaction in a block. */
export interface ExecutedTransaction {
  transaction: SignedTransaction;
  status: 'success' | 'reverted';
  gasUsed: number;
  /** Wei. */
  effectiveGasPrice: bigint;
  events: TokenEvent[];
}

/** Executes a transaction that a block takes: its nonce is the next, and its sender can pay. */
export function executeTransaction(
  state: ChainState,
  transaction: SignedTransaction,
  block: { timestamp: bigint; baseFee: bigint },
): { state: ChainState; executed: ExecutedTransaction } {
  const { from, nonce, gas, value } = transaction;
  const effectiveGasPrice = priceOf(transaction, block.baseFee);
  const outcome = executeCall(state, { ...transaction, gas, gasPrice: effectiveGasPrice }, block.timestamp);
  const fee = BigInt(outcome.gasUsed) * effectiveGasPrice;
  const balances = new Map(state.balances).set(from, (state.balances.get(from) ?? 0n) - fee);
  if (outcome.status === 'success' && value > 0n && transaction.to) {
    balances.set(from, (balances.get(from) ?? 0n) - value);
    balances.set(transaction.to, (balances.get(transaction.to) ?? 0n) + value);
  }
  const isSuccess = outcome.status === 'success';
  return {
    state: {
      ...state,
      balances,
      nonces: new Map(state.nonces).set(from, nonce + 1),
      tokens: isSuccess ? outcome.tokens : state.tokens,
    },
    executed: {
      transaction,
      status: isSuccess ? 'success' : 'reverted',
      gasUsed: outcome.gasUsed,
      effectiveGasPrice,
      events: isSuccess ? outcome.events : [],
    },
  };
}

/** What a transaction pays per gas in a block of this base fee, in wei. */
export function priceOf({ maxFeePerGas, maxPriorityFeePerGas }: SignedTransaction, baseFee: bigint): bigint {
  return maxFeePerGas < baseFee + maxPriorityFeePerGas ? maxFeePerGas : baseFee + maxPriorityFeePerGas;
}
