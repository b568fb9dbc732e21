import { listPartitions, type Partition, type PartitionGap, partitionGaps } from '../ledger/growth/partitions.ts';
import { type Expiry, expiredPartitions } from '../ledger/growth/retention.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Bounds } from './bounds.ts';
import type { Problem } from './problem.ts';

/** The common worker makes partitions three months ahead: less than this is left only if it has not done so for weeks. */
const partitionDaysLeft = 14;

/** The common worker looks every hour; a table may be in use for a while. */
const retiredWithinMs = 3 * 86_400_000;

/** What is wrong with the partitions of what grows. */
export async function growthProblems(ledger: Ledger, { rules, now }: Bounds['retention']): Promise<Problem[]> {
  const partitions = await listPartitions(ledger);
  const gaps = await partitionGaps(ledger, partitions, new Date(now.getTime() + partitionDaysLeft * 86_400_000));
  const overdue = expiredPartitions(partitions, rules, new Date(now.getTime() - retiredWithinMs));
  return [...gaps.map((gap) => ofGap(gap, now)), ...overdue.map(ofOverdue)];
}

function ofGap({ table, endsSoon, hasUnsortedRows }: PartitionGap, now: Date): Problem {
  const causes = [
    ...(endsSoon ? [`the last partition of ${table} ends on ${endsSoon.toISOString().slice(0, 10)}`] : []),
    ...(hasUnsortedRows ? [`rows of ${table} are in its default partition`] : []),
  ];
  const text = `${causes.join(', and ')}: does \`mintrail worker --common\` run? See \`mintrail retention\``;
  return { kind: 'partition_missing', chain: '', subject: table, since: endsSoon && endsSoon < now ? endsSoon : now, text };
}

function ofOverdue({ name, action, expiredAt }: Partition & Expiry): Problem {
  const verb = action === 'drop' ? 'dropped' : 'archived';
  const text = `the partition ${name} should be ${verb} since ${expiredAt.toISOString().slice(0, 10)}: the log of \`mintrail worker --common\` says why it is kept`;
  return { kind: 'retention_overdue', chain: '', subject: name, since: expiredAt, text };
}
