import type { Chain } from '../platform/chains.ts';

/** The queues that a statement notes when it made work ready: their workers are woken once the work is committed. */
export interface WakeUps {
  /** In a transaction, they are woken after its commit, and not at all after a rollback; outside of one, at once. */
  add(...queues: Queue[]): void;
}

/** Carries wake-ups to the workers of all processes. It must neither throw nor wait. */
export interface LedgerWaker {
  wake(queue: Queue): void;
}

/** For a process or test that leaves all work to the workers' sweeps. */
export const wakesNobody: LedgerWaker = { wake() {} };

/** Outside of a transaction: wakes the workers of each queue at once. */
export function immediateWakeUps(waker: LedgerWaker): WakeUps {
  return {
    add(...queues) {
      for (const queue of new Set(queues)) waker.wake(queue);
    },
  };
}

/** In a transaction: keeps the queues until `flush`, which the transaction calls after its commit, adds them to `target`. */
export function collectedWakeUps(target: WakeUps): WakeUps & { flush(): void } {
  const collected = new Set<Queue>();
  return {
    add(...queues) {
      for (const queue of queues) collected.add(queue);
    },
    flush: () => target.add(...collected),
  };
}

/**
 * A queue: where a kind of worker is woken as soon as the ledger has work for it. A queue holds no work, only wake-ups. What there
 * is to do stands in the ledger, and is also found without a wake-up, by the worker's sweep.
 */
export type Queue = `lane-${string}` | `signatures-${string}` | typeof payoutQueue | typeof ibanQueue | typeof mailQueue;

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

/** Wakes the delivery of mails: one was written into the outbox. */
export const mailQueue = 'mails';
