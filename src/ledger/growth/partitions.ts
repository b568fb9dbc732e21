import { sql } from 'kysely';
import { partitionLock, takeLock } from '../advisory-locks.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';

/** The tables that are partitioned by month (docs/growth.md). */
export const partitionedTables = ['events', 'webhook_deliveries', 'audit_log', 'postings'] as const;
/** A table that is partitioned by month. */
export type PartitionedTable = (typeof partitionedTables)[number];

/** A part of a partitioned table. */
export interface Partition {
  table: PartitionedTable;
  name: string;
  /** From this time on; null for the default partition. */
  begins: Date | null;
  /** Before this time; null for the default partition, which has what belongs into no other. */
  ends: Date | null;
}

/** A partition and how large it is. */
export interface MeasuredPartition extends Partition {
  /** As the planner estimates them. */
  rows: number;
  /** With indexes and long values. */
  bytes: bigint;
}

/**
 * Seconds for which changing partitions waits for a table. Whoever comes after it waits too, so it gives up soon: PostgreSQL's error 55P03.
 */
const lockTimeoutSeconds = 1;

/** All partitions, by table and time; default partitions last. */
export async function listPartitions(ledger: Ledger): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select p.parent as table, p.name, p.begins, p.ends from list_partitions() p ${inOrder}
  `.execute(ledger);
  return rows;
}

/** The same with their sizes, which takes a lock of each partition for a moment. */
export async function measurePartitions(ledger: Ledger): Promise<MeasuredPartition[]> {
  const { rows } = await sql<MeasuredPartition>`
    select p.parent as table, p.name, p.begins, p.ends, greatest(c.reltuples, 0)::float8 as rows, pg_total_relation_size(c.oid) as bytes
    from list_partitions() p join pg_class c on c.oid = format('partitions.%I', p.name)::regclass ${inOrder}
  `.execute(ledger);
  return rows;
}

const inOrder = sql`order by array_position(${[...partitionedTables]}::text[], p.parent), p.is_default, p.begins`;

/**
 * Makes the partitions of this month and of the next three where they are missing, and puts the rows of default partitions into partitions of their
 * months. Returns how many partitions were made. Throws PostgreSQL's error 55P03 when a table is in use for too long; the next call tries again.
 */
export async function makePartitions(ledger: Ledger): Promise<number> {
  let made = 0;
  for (const table of partitionedTables)
    made += await changePartitions(ledger, async (tx) => {
      const { rows } = await sql<{ made: number }>`select make_partitions(${table}) as made`.execute(tx);
      return rows[0]?.made ?? 0;
    });
  return made;
}

/** Runs `work` while nobody else changes partitions. */
export function changePartitions<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  return inTransaction(ledger, async (tx) => {
    await sql`select set_config('lock_timeout', ${`${lockTimeoutSeconds}s`}, true)`.execute(tx);
    await takeLock(tx, partitionLock);
    return work(tx);
  });
}

/** Whether an error says that a table was in use for too long. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === '55P03';
}

/** Renews what the planner knows of each partitioned table as a whole: autovacuum looks at its partitions alone. */
export async function analyzePartitionedTables(ledger: Ledger): Promise<void> {
  for (const table of partitionedTables) await sql`select analyze_partitioned(${table})`.execute(ledger);
}

/** What is missing of the partitions of a table. */
export interface PartitionGap {
  table: PartitionedTable;
  /** When its last partition ends, if that is soon. */
  endsSoon: Date | null;
  /** Whether rows are in the default partition. */
  hasUnsortedRows: boolean;
}

/** The tables among whose `partitions` ({@link listPartitions}) the last ends before a time, and those with rows in their default partition. */
export async function partitionGaps(ledger: Ledger, partitions: readonly Partition[], endsBefore: Date): Promise<PartitionGap[]> {
  const unsorted = sql.join(
    partitionedTables.map(
      (table) => sql`case when exists (select from ${sql.table(`partitions.${table}_default`)}) then ${sql.lit(table)} end`,
    ),
  );
  const { rows } = await sql<{ tables: (PartitionedTable | null)[] }>`select array[${unsorted}] as tables`.execute(ledger);
  return partitionedTables.flatMap((table) => {
    const last = partitions
      .flatMap(({ table: of, ends }) => (of === table && ends ? [ends] : []))
      .toSorted((a, b) => a.getTime() - b.getTime())
      .at(-1);
    const endsSoon = last !== undefined && last < endsBefore ? last : null;
    const hasUnsortedRows = rows[0]?.tables.includes(table) === true;
    return endsSoon !== null || hasUnsortedRows ? [{ table, endsSoon, hasUnsortedRows }] : [];
  });
}
