// Writes docs/operations/runbooks/README.md from the catalogue of problems and the alerts; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { catalogue, problemKinds, severities, titleOf, type Severity } from '../src/problems/catalogue.ts';
import { serviceAlerts } from './alerts/service-alerts.ts';

const page = `# Runbooks

One page for each kind of problem, in the order in which an operator acts: what it means, how to look, what to do, and when it is over.
[Alarms](../watching.md#alarms) says what they share.
In parentheses stands the role of the [console](../../console.md#roles) that acts; otherwise whoever runs the machines.
A problem that needs a person is overdue at once, these after working days: ${waits()}.

${severities.map(problemSection).join('\n')}
## What only Prometheus sees

${serviceAlerts.map(({ runbook }) => linkTo(runbook)).join(', ')}: what the ledger does not know, and so \`mintrail status\` does not name.

Generated from \`src/problems/catalogue.ts\` and \`scripts/alerts/\` by \`npm run docs\`.
`;

const file = new URL('../docs/operations/runbooks/README.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/operations/runbooks/README.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

/** The problems of a severity, the most urgent first. */
function problemSection(severity: Severity): string {
  const rows = problemKinds
    .filter((kind) => catalogue[kind].severity === severity)
    .map((kind) => `- ${linkTo(kind)}: ${titleOf(catalogue[kind])}${catalogue[kind].for === 'machine' ? '' : ` (${catalogue[kind].for})`}`);
  const title = severity.slice(0, 1).toUpperCase() + severity.slice(1);
  return [`## ${title}`, '', ...rows, ''].join('\n');
}

/** The kinds that may wait for a person, each with its working days. */
function waits(): string {
  const kinds = problemKinds
    .filter((kind) => catalogue[kind].workingDays !== undefined)
    .map((kind) => [catalogue[kind].workingDays, `\`${kind}\``] as const);
  return [...Map.groupBy(kinds, ([days]) => days)]
    .map(
      ([days, alike]) =>
        `${days === 'reviewDays' ? 'the `reviewDays` of `WARN_AT`' : days} for ${alike.map(([, kind]) => kind).join(', ')}`,
    )
    .join('; ');
}

function linkTo(runbook: string): string {
  return `[\`${runbook}\`](${runbook}.md)`;
}
