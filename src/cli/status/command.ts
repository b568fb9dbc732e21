import type { Command } from 'commander';
import { countText, mostCounted } from '../../ledger/most-counted.ts';
import { healthColumns } from '../../operations/webhooks/subscription-view.ts';
import { readStatus, type ServiceStatus } from '../../problems/read-status.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatDuration, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { openingJson, renderOpenings } from '../reconcile/openings.ts';
import { exitCodes } from '../render-error.ts';
import { renderViewTable } from '../views/add-view.ts';
import { withLedger } from '../with-ledger.ts';
import { renderProblems } from './problems.ts';

/** `mintrail status`. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description(
      'show whether the service works: processes, lanes, open orders. Exit code 1 when something stops money or has waited too long for a person',
    )
    .option('--warnings', 'exit code 1 also for what ends soon')
    .option('--json', 'print JSON')
    .action(showStatus);
}

interface StatusOptions {
  warnings?: boolean;
  json?: boolean;
}

/** `mintrail status`. It fails for what stops money and for what is overdue, with `warnings` also for what ends soon. */
async function showStatus({ warnings = false, json = false }: StatusOptions): Promise<void> {
  const now = new Date();
  const status = await withLedger((ledger) => readStatus(ledger, cliSettings(), now));
  print(json ? renderJson({ ...status, openings: status.openings.map(openingJson) }) : render(status, now));
  if (!status.ok || (warnings && status.warnings.length > 0)) process.exitCode = exitCodes.failed;
}

function render({ ok, problems, warnings, components, orders, openLegs, openings, failingWebhooks }: ServiceStatus, now: Date): string {
  const all = [...problems, ...warnings];
  const sections = [
    ...(ok ? [problems.length === 0 ? 'All is well.' : 'Nothing stops money, and nobody has waited for too long.'] : []),
    ...(all.length === 0 ? [] : [renderProblems(all, now)]),
    componentTable(components),
    renderTable(
      ['open orders', 'count'],
      Object.entries(orders).map(([state, count]) => [state, countText(count, mostCounted.open)]),
    ),
  ];
  if (openLegs.length > 0) sections.push(openLegTable(openLegs));
  sections.push(...renderOpenings(openings));
  if (failingWebhooks.length > 0)
    sections.push(
      `Webhooks that their receivers do not accept (mintrail webhook deliveries):\n${renderViewTable({ columns: healthColumns }, failingWebhooks)}`,
    );
  return sections.join('\n\n');
}

function componentTable(components: ServiceStatus['components']): string {
  const rows = components.map(({ component, chain, ok, ageSeconds, facts }) => [
    component,
    chain,
    ok ? 'yes' : 'NO',
    `${ageSeconds} s ago`,
    text(facts['head']),
    text(facts['block']),
    blocksBehind(facts),
  ]);
  return renderTable(['component', 'chain', 'well', 'heartbeat', 'head', 'indexed', 'behind'], rows);
}

function openLegTable(openLegs: ServiceStatus['openLegs']): string {
  const rows = openLegs.map(({ kind, chain, state, count, isMore, oldestSeconds }) => [
    kind,
    chain,
    state,
    isMore ? `more than ${count}` : String(count),
    formatDuration(oldestSeconds),
  ]);
  return renderTable(['open leg', 'chain', 'state', 'count', 'oldest'], rows);
}

function blocksBehind({ head, block }: Record<string, unknown>): string {
  if (typeof head !== 'string' || typeof block !== 'string') return '';
  return String(BigInt(head) > BigInt(block) ? BigInt(head) - BigInt(block) : 0n);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
