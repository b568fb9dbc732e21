import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';
import { createDatabase } from '../platform/database.ts';
import type { Queue } from './queues.ts';
import type { LedgerTables } from './tables.ts';

/** What a statement notes when it made something ready: which queues have work now. */
export interface WakeUps {
  /** In a transaction, they are woken after its commit, and not at all after a rollback; outside of one, at once. */
  add(...queues: Queue[]): void;
}

/**
 * The ledger's database, as all its store functions take it. Transactions begin with {@link inTransaction} alone, which wakes
 * whoever has work after the commit.
 */
export type Ledger = Omit<Kysely<LedgerTables>, 'transaction' | 'startTransaction'> & { readonly wakeUps: WakeUps };

/** The same inside a database transaction: what is written through it stands or falls together. */
export type LedgerTransaction = Transaction<LedgerTables> & { readonly wakeUps: WakeUps };

/** Carries wake-ups to the workers of all processes. It must neither throw nor wait. */
export interface LedgerWaker {
  wake(queue: Queue): void;
}

/** For a process or test that leaves all work to the workers' sweeps. */
export const wakesNobody: LedgerWaker = { wake() {} };

/** The ledger over a pool. Every queue that gets work through it is woken by `waker`, once the work is committed. */
export function createLedger(pool: Pool, waker: LedgerWaker): Ledger {
  const wakeUps: WakeUps = {
    add(...queues) {
      for (const queue of new Set(queues)) waker.wake(queue);
    },
  };
  return Object.assign(createDatabase<LedgerTables>(pool), { wakeUps });
}

/**
 * Runs `work` in a database transaction: the one that is open, or else one of its own. After the commit of its own it wakes the
 * queues that got work in it. A crash between the two costs time only: the workers' sweeps find the work.
 */
export async function inTransaction<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  if (ledger.isTransaction) return work(ledger as LedgerTransaction);
  const queues = new Set<Queue>();
  const wakeUps: WakeUps = {
    add(...more) {
      for (const queue of more) queues.add(queue);
    },
  };
  const database = ledger as unknown as Kysely<LedgerTables>;
  const result = await database.transaction().execute((tx) => work(Object.assign(tx, { wakeUps })));
  ledger.wakeUps.add(...queues);
  return result;
}
