import type { Command } from 'commander';
import { type MeasuredPartition, measurePartitions } from '../../ledger/growth/partitions.ts';
import { expiredPartitions, type Expiry, type RetentionRule, retentionRules } from '../../ledger/growth/retention.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail retention`. */
export function addRetentionCommand(program: Command): void {
  program
    .command('retention')
    .description('list the partitions of what grows: since when, how large, and which the common worker drops or archives next')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => showRetention(json));
}

/** `mintrail retention`: what there is, and what would go. It changes nothing. */
async function showRetention(json: boolean): Promise<void> {
  const rules = retentionRules(cliSettings());
  const partitions = await withLedger(measurePartitions);
  const expired = expiredPartitions(partitions, rules, new Date());
  if (json) return print(renderJson({ rules, partitions, expired }));
  const due = new Map(expired.map(({ name, action }) => [name, action]));
  // A month ahead has nothing to tell.
  const shown = partitions.filter(({ rows, begins }) => rows > 0 || begins === null || begins <= new Date());
  print(
    renderTable(
      ['partition', 'from', 'until', 'rows', 'megabytes', 'kept for', 'next'],
      shown.map((row) => line(row, rules, due)),
    ),
  );
  if (expired.length === 0) print('\nNothing is due to go.');
}

function line(
  { table, name, begins, ends, rows, bytes }: MeasuredPartition,
  rules: readonly RetentionRule[],
  due: ReadonlyMap<string, Expiry['action']>,
): string[] {
  const days = rules.find((rule) => rule.table === table)?.days ?? 0;
  return [
    name,
    begins ? formatTime(begins) : '',
    ends ? formatTime(ends) : '',
    String(rows),
    (Number(bytes) / 1e6).toFixed(1),
    days === 0 ? 'ever' : `${days} d`,
    due.get(name) ?? '',
  ];
}
