import { countText, mostCounted } from '../../ledger/most-counted.ts';
import { readStatus, type ServiceStatus } from '../../status/read-status.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatDuration, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { renderOpenings } from '../reconcile/openings.ts';
import { renderSubscriptions } from '../webhook/subscriptions.ts';
import { withLedger } from '../with-ledger.ts';
import { renderProblems } from './problems.ts';

/** Options of `mintrail status`. */
export interface StatusOptions {
  warnings?: boolean;
  json?: boolean;
}

/** `mintrail status`. Warnings alone are no failure, unless the operator asks for that: they can wait for the morning. */
export async function showStatus({ warnings = false, json = false }: StatusOptions): Promise<void> {
  const now = new Date();
  const status = await withLedger((ledger) => readStatus(ledger, cliSettings(), now));
  print(json ? renderJson(status) : render(status, now));
  if (!status.ok || (warnings && status.warnings.length > 0)) process.exitCode = exitCodes.failed;
}

function render({ problems, warnings, components, orders, openLegs, openings, failingWebhooks }: ServiceStatus, now: Date): string {
  const sections = [
    ...describeHealth(problems, warnings, now),
    componentTable(components),
    renderTable(
      ['open orders', 'count'],
      Object.entries(orders).map(([state, count]) => [state, countText(count, mostCounted.open)]),
    ),
  ];
  if (openLegs.length > 0) sections.push(openLegTable(openLegs));
  sections.push(...renderOpenings(openings));
  if (failingWebhooks.length > 0)
    sections.push(`Webhooks that their receivers do not accept (mintrail webhook deliveries):\n${renderSubscriptions(failingWebhooks)}`);
  return sections.join('\n\n');
}

/** "All is well" is said only where nothing is to be done, not even some day. */
function describeHealth(problems: ServiceStatus['problems'], warnings: ServiceStatus['warnings'], now: Date): string[] {
  if (problems.length + warnings.length === 0) return ['All is well.'];
  return [
    problems.length === 0 ? 'Everything works.' : renderProblems(problems, now, 'problem'),
    ...(warnings.length === 0 ? [] : [renderProblems(warnings, now, 'warning')]),
  ];
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
