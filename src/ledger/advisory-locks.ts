import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Brand } from '../platform/brand.ts';
import type { Chain } from '../platform/chains.ts';
import type { Ledger, LedgerTransaction } from './ledger.ts';

/**
 * The name of an advisory lock of PostgreSQL. All of them are made here, so that no two that must not meet have the same one. The key of
 * a lock is a hash of its name: two names with the same hash only make somebody wait.
 */
export type LockName = Brand<string, 'LockName'>;

/** Held by the process that works a lane, for as long as it does: only one may use the signer's nonces. */
export function laneLock(chain: Chain, signer: LowerAddress): LockName {
  return `lane ${chain} ${signer}` as LockName;
}

/**
 * Redemptions at one address, one after the other: two must not spend the same tokens. Nor must they use the same messages, on whatever chain, in another
 * order: they would wait for each other.
 */
export function redemptionLock(address: LowerAddress): LockName {
  return `redeem ${address}` as LockName;
}

/** First uses of a file by orders, one after the other: those of several files in another order would wait for each other. */
export function fileUseLock(file: string): LockName {
  return `file use ${file}` as LockName;
}

/** Quotes that a maker commits itself to in one token, one after the other: together they must not exceed what it holds. */
export function makerLock({ chain, maker, makerToken }: { chain: Chain; maker: LowerAddress; makerToken: LowerAddress }): LockName {
  return `swap ${chain} ${maker} ${makerToken}` as LockName;
}

/** Checks of one quota of one owner, one after the other: side by side they would miss each other's rows. */
export function quotaLock(quota: string, owner: string): LockName {
  return `quota ${quota} ${owner}` as LockName;
}

/** Imports of bank files, one after the other: what a report of money changes depends on the reports before it. */
export const bankImportLock = 'bank import' as LockName;

/** Uploads of bank files that begin, one after the other. */
export const bankUploadLock = 'bank upload' as LockName;

/** Changes of partitions, one after the other. */
export const partitionLock = 'partitions' as LockName;

/** The dispatcher of events: it numbers them in one sequence without gaps behind a reader. */
export const dispatchLock = 'event dispatch' as LockName;

/** Waits for a lock and holds it until the transaction ends. */
export async function takeLock(tx: LedgerTransaction, name: LockName): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** SQL of the statement that waits for locks and holds them until the transaction ends. It takes them in the order of their keys, so that no two transactions wait for each other. */
export function lockStatement(names: readonly LockName[]): RawBuilder<unknown> {
  return sql`
    select pg_advisory_xact_lock(key)
    from (select distinct hashtextextended(name, 0) as key from unnest(${names}::text[]) as name order by key) as keys`;
}

/** SQL: takes a lock until the transaction ends, if nobody has it; whether it did. */
export function tryLock(name: LockName): RawBuilder<boolean> {
  return sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/** Whether a transaction or a session holds a lock at this moment. */
export async function isHeld(ledger: Ledger, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended(${name}, 0)
    ) as held
  `.execute(ledger);
  return rows[0]?.held ?? false;
}
