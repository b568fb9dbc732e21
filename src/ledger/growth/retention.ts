import { sql } from 'kysely';
import type { Settings } from '../../platform/settings.ts';
import type { Ledger } from '../ledger.ts';
import { changePartitions, isLockTimeout, type Partition, type PartitionedTable } from './partitions.ts';

/** The settings that say how long what grows is kept; 0 days is for ever. */
export type RetentionSettings = Pick<Settings, 'retentionDays'>;

/** For how long a partitioned table keeps its rows, and what happens to a partition when its last row is older. */
export interface RetentionRule {
  table: PartitionedTable;
  /** 0 is for ever. */
  days: number;
  action: 'drop' | 'archive';
}

/** The rules of the settings. Deliveries come before the events that they are of. */
export function retentionRules({ retentionDays }: RetentionSettings): RetentionRule[] {
  return [
    { table: 'webhook_deliveries', days: retentionDays.deliveries, action: 'drop' },
    { table: 'events', days: retentionDays.events, action: 'drop' },
    { table: 'audit_log', days: retentionDays.audit, action: 'drop' },
    { table: 'postings', days: retentionDays.postings, action: 'archive' },
  ];
}

/** What is due to happen to a partition whose rows are all older than they are kept. */
export interface Expiry {
  action: RetentionRule['action'];
  /** Since when it could have been retired. */
  expiredAt: Date;
}

/** The partitions that are due to be retired, in the order in which they can be. */
export function expiredPartitions<Listed extends Partition>(
  partitions: readonly Listed[],
  rules: readonly RetentionRule[],
  now: Date,
): (Listed & Expiry)[] {
  return rules.flatMap(({ table, days, action }) =>
    partitions.flatMap((partition) => {
      if (partition.table !== table || days === 0 || partition.ends === null) return [];
      const expiredAt = new Date(partition.ends.getTime() + days * 86_400_000);
      return expiredAt <= now ? [{ ...partition, action, expiredAt }] : [];
    }),
  );
}

/**
 * Drops or archives an expired partition in one transaction, with its entry in the audit log. Returns `undefined`, or why it is kept for now: the
 * service is not done with its rows, or its table is in use.
 */
export async function retirePartition(ledger: Ledger, { name, action }: Partition & Expiry): Promise<string | undefined> {
  try {
    return await changePartitions(ledger, async (tx) => {
      const { rows } = await sql<{ reason: string | null }>`
        select retire_partition(p.name, ${action === 'archive'}) as reason from list_partitions() p where p.name = ${name}
      `.execute(tx);
      return rows[0]?.reason ?? undefined;
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'its table is in use';
    throw error;
  }
}
