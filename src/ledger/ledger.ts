import { type Kysely, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import { createDatabase } from '../platform/database.ts';
import { defaultQuotas, type QuotaSettings } from '../platform/settings.ts';
import { holdSpans } from '../platform/tracing/spans.ts';
import type { LedgerTables } from '../schema/tables.ts';
import type { LedgerViews } from '../schema/views.ts';
import { collectedWakeUps, immediateWakeUps, type LedgerWaker, type WakeUps } from './wake-ups.ts';

/**
 * The ledger's database, as all its store functions take it. Transactions begin with {@link inTransaction} alone, which wakes
 * the workers that have work after the commit.
 */
export type Ledger = Omit<Kysely<LedgerTables & LedgerViews>, 'transaction' | 'startTransaction'> & LedgerContext;

/** The same inside a database transaction: what is written through it stands or falls together. */
export type LedgerTransaction = Transaction<LedgerTables & LedgerViews> & LedgerContext;

/** What store functions need besides the tables. */
interface LedgerContext {
  readonly wakeUps: WakeUps;
  /** Held by whatever adds rows for a customer or an application. */
  readonly quotas: QuotaSettings;
}

/** The ledger over a pool. Every queue that gets work through it is woken by `waker`, once the work is committed. */
export function createLedger(pool: Pool, waker: LedgerWaker, quotas: QuotaSettings = defaultQuotas): Ledger {
  return Object.assign(createDatabase<LedgerTables & LedgerViews>(pool), { wakeUps: immediateWakeUps(waker), quotas });
}

/**
 * Runs `work` in a database transaction: the one that is open, or else one of its own. After the commit of its own it wakes the
 * queues that got work in it. A crash between the two costs time only: the workers' sweeps find the work.
 */
export async function inTransaction<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  if (ledger.isTransaction) return work(ledger as LedgerTransaction);
  const wakeUps = collectedWakeUps(ledger.wakeUps);
  const database = ledger as unknown as Kysely<LedgerTables & LedgerViews>;
  const result = await holdSpans(() => database.transaction().execute((tx) => work(Object.assign(tx, { wakeUps, quotas: ledger.quotas }))));
  wakeUps.flush();
  return result;
}

/**
 * Runs `work` in an open transaction. When it throws, what it wrote is undone, and the transaction can go on: whoever records an error instead of
 * passing it on needs this.
 */
export async function inSavepoint<T>(tx: LedgerTransaction, work: () => Promise<T>): Promise<T> {
  await sql`savepoint work`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint work`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint work`.execute(tx);
    throw error;
  }
}

/** What a rehearsal came to: it undoes what was written. */
class Rehearsed<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('only rehearsed');
    this.result = result;
  }
}

/** What `work` comes to if it is done now: all that it writes is undone. It refuses what carrying it out would refuse. */
export async function rehearse<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(ledger, (tx) =>
      inSavepoint(tx, async () => {
        throw new Rehearsed(await work(tx));
      }),
    );
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
}
