import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';
import { createDatabase } from '../platform/database.ts';
import type { LedgerTables } from './tables.ts';
import { collectedWakeUps, immediateWakeUps, type LedgerWaker, type WakeUps } from './wake-ups.ts';

/**
 * The ledger's database, as all its store functions take it. Transactions begin with {@link inTransaction} alone, which wakes
 * the workers that have work after the commit.
 */
export type Ledger = Omit<Kysely<LedgerTables>, 'transaction' | 'startTransaction'> & { readonly wakeUps: WakeUps };

/** The same inside a database transaction: what is written through it stands or falls together. */
export type LedgerTransaction = Transaction<LedgerTables> & { readonly wakeUps: WakeUps };

/** The ledger over a pool. Every queue that gets work through it is woken by `waker`, once the work is committed. */
export function createLedger(pool: Pool, waker: LedgerWaker): Ledger {
  return Object.assign(createDatabase<LedgerTables>(pool), { wakeUps: immediateWakeUps(waker) });
}

/**
 * Runs `work` in a database transaction: the one that is open, or else one of its own. After the commit of its own it wakes the
 * queues that got work in it. A crash between the two costs time only: the workers' sweeps find the work.
 */
export async function inTransaction<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  if (ledger.isTransaction) return work(ledger as LedgerTransaction);
  const wakeUps = collectedWakeUps(ledger.wakeUps);
  const database = ledger as unknown as Kysely<LedgerTables>;
  const result = await database.transaction().execute((tx) => work(Object.assign(tx, { wakeUps })));
  wakeUps.flush();
  return result;
}
