import type { Registry } from 'prom-client';
import { analyzePartitionedTables, isLockTimeout, listPartitions, makePartitions } from '../ledger/growth/partitions.ts';
import { expiredPartitions, type RetentionSettings, retentionRules, retirePartition } from '../ledger/growth/retention.ts';
import { clearTransactionBytes } from '../ledger/growth/transaction-bytes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import { registeredCounter, registeredGauge } from '../platform/metrics/registered.ts';

/** What the retention needs. */
export interface RetentionDeps {
  settings: RetentionSettings;
  ledger: Ledger;
  log: Log;
  registry: Registry;
}

/** Between two looks. What they look for is a matter of days; a table that is in use is tried again soon. */
const intervalMs = 3_600_000;

/** Partitions are made months ahead, and what nobody needs any more is dropped, archived or cleared (docs/growth.md). Any number of copies may do so. */
export function startRetention(deps: RetentionDeps): Loop {
  const metrics = createMetrics(deps.registry);
  return startLoop({ name: 'retention', intervalMs, log: deps.log, turn: () => keepRetention(deps, metrics) });
}

type Metrics = ReturnType<typeof createMetrics>;

function createMetrics(registry: Registry) {
  return {
    retired: registeredCounter(registry, 'mintrail_retention_partitions_total'),
    ranAt: registeredGauge(registry, 'mintrail_retention_timestamp_seconds'),
  };
}

/** One turn: what a crash leaves undone, the next turn does. */
async function keepRetention({ settings, ledger, log }: RetentionDeps, metrics: Metrics): Promise<void> {
  await makeAhead(ledger, log);
  for (const partition of expiredPartitions(await listPartitions(ledger), retentionRules(settings), new Date())) {
    const { name: partitionName, table, action, ends } = partition;
    const kept = await retirePartition(ledger, partition);
    if (kept === undefined) {
      metrics.retired.inc({ table, action });
      log.info({ partition: partitionName, action, ends }, 'a partition is retired: its rows are older than they are kept');
    } else log.warn({ partition: partitionName, action, reason: kept }, 'an expired partition is kept for now');
  }
  const days = settings.retentionDays.attempts;
  const cleared = days === 0 ? 0 : await clearTransactionBytes(ledger, days);
  if (cleared > 0) log.info({ attempts: cleared }, 'bytes of ended transactions cleared');
  await analyzePartitionedTables(ledger);
  metrics.ranAt.set(Date.now() / 1000);
}

async function makeAhead(ledger: Ledger, log: Log): Promise<void> {
  try {
    const made = await makePartitions(ledger);
    if (made > 0) log.info({ partitions: made }, 'partitions made for the months ahead');
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    log.warn('partitions are not made now, because a table is in use; it is tried again in an hour');
  }
}
