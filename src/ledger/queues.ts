import type { Chain } from '../platform/chains.ts';
/**
 * A queue: where a kind of worker is woken as soon as the ledger has work for it. A queue holds no work, only wake-ups. What there
 * is to do stands in the ledger, and is also found without a wake-up, by the worker's sweep.
 */
export type Queue = `lane-${string}` | `signatures-${string}` | typeof payoutQueue | typeof ibanQueue;

/** Wakes the lanes of a network: a leg on its chain became ready. */
export function laneQueue(chain: Chain): Queue {
  return `lane-${chain}`;
}

/** Wakes the signature checks of a network: a signature of a contract account is to be checked. */
export function signatureQueue(chain: Chain): Queue {
  return `signatures-${chain}`;
}

/** Wakes the payments to the bank: a leg without a chain, or a return, became ready. */
export const payoutQueue = 'payouts';

/** Wakes the assignment of IBANs: one was requested. */
export const ibanQueue = 'ibans';
