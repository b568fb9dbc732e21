import type { Command } from 'commander';
import { exitCodes } from '../render-error.ts';
import { readStatus, type ServiceStatus } from './service-status.ts';
import { renderJson, renderTable } from '../table.ts';
import { renderSubscriptions } from '../webhook/table.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail status`. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('show whether all is well: networks, indexers, lanes, open orders. Exit code 1 when something is not')
    .option('--json', 'answer in JSON')
    .action(async ({ json }: { json?: true }) => {
      const status = await withLedger(readStatus);
      console.log(json ? renderJson(status) : renderStatus(status));
      if (!status.ok) process.exitCode = exitCodes.failed;
    });
}

function renderStatus({ problems, components, orders, openLegs, failingWebhooks }: ServiceStatus): string {
  const sections = [
    problems.length === 0 ? 'All is well.' : ['Not well:', ...problems.map((problem) => `  ${problem}`)].join('\n'),
    renderTable(
      ['component', 'chain', 'well', 'seen', 'head', 'indexed', 'behind'],
      components.map(({ component, chain, ok, ageSeconds, facts }) => [
        component,
        chain,
        ok ? 'yes' : 'NO',
        `${ageSeconds} s ago`,
        text(facts['head']),
        text(facts['block']),
        behind(facts),
      ]),
    ),
    renderTable(
      ['orders', 'count'],
      Object.entries(orders).map(([state, count]) => [state, String(count)]),
    ),
  ];
  if (openLegs.length > 0)
    sections.push(
      renderTable(
        ['open movement', 'chain', 'state', 'count', 'oldest'],
        openLegs.map(({ kind, chain, state, count, oldestSeconds }) => [kind, chain, state, String(count), `${oldestSeconds} s`]),
      ),
    );
  if (failingWebhooks.length > 0)
    sections.push(`Webhooks that their receivers do not take (mintrail webhook deliveries):\n${renderSubscriptions(failingWebhooks)}`);
  return sections.join('\n\n');
}

function behind({ head, block }: Record<string, unknown>): string {
  if (typeof head !== 'string' || typeof block !== 'string') return '';
  return String(BigInt(head) > BigInt(block) ? BigInt(head) - BigInt(block) : 0n);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
