// Writes docs/errors.md from the error catalogue and from the catalogue of problems with their runbooks in docs/operations.md; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bankErrors } from '../src/platform/error-codes/bank-errors.ts';
import type { ErrorEntry } from '../src/platform/error-codes/entry.ts';
import { networkErrors } from '../src/platform/error-codes/network-errors.ts';
import { operationErrors } from '../src/platform/error-codes/operation-errors.ts';
import { requestErrors } from '../src/platform/error-codes/request-errors.ts';
import { resourceErrors } from '../src/platform/error-codes/resource-errors.ts';
import { catalogue, problemKinds, severities, type Severity } from '../src/problems/catalogue.ts';

/** What a table of kinds leaves out of a runbook: how to look, and when it is over. */
const runbookParts = /\*\*(?:Look|Over):\*\*.*$/s;

const operationsPage = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');

const page = `# Errors and problems

All that an operator or a developer can be told: errors, and below them the [problems](#problems) of \`mintrail status\`.

Every error of Mintrail has a stable code. The API puts it into the body of its answer as \`reason\`, beside the HTTP status and a message
for people; the command line prints it in parentheses after the message, or with \`--json\` as \`error.code\`; log lines carry it as \`code\`.
Programs should decide by the code, never by the message. New codes may be added. What only a person can do something about shares a code
(\`not_found\`, \`not_possible\`, \`bad_input\`): the message names the field, the value and the remedy.

**Retry** says whether the same call may succeed later without any change. Where **HTTP** is empty, no request is meant to cause the error:
if one does, the API answers with \`service_unavailable\` when the error is retryable, otherwise with \`internal_error\`.

This page is generated from \`src/platform/error-codes/\`, \`src/problems/catalogue.ts\` and [operations](operations.md#alarms) by \`npm run docs\`.

${section('Requests', requestErrors)}
${section('Customers, orders, webhooks and swaps', resourceErrors)}
${section('Bank files, credits, payouts and IBANs', bankErrors)}
${section('Networks, tokens and signers', networkErrors)}
${section('Settings, command line, console and processes', operationErrors)}
## Problems

What \`mintrail status\` and the console name, in this order, \`mintrail_problems\` counts, and the log has as \`alarm\` or \`problem\`. The kind leads to its runbook. Who it is for is a role of the
[console](console.md#roles), or whoever runs the machines. [All is well](operations.md#alarms) as long as nothing stops money and nobody has waited for a person for longer than a problem's working days.

${severities.map(problemSection).join('\n')}`;

const file = new URL('../docs/errors.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/errors.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

/** The table of the problems of a severity, the most urgent first, each with what docs/operations.md says of it. Throws when it says nothing of one. */
function problemSection(severity: Severity): string {
  const rows = problemKinds
    .filter((kind) => catalogue[kind].severity === severity)
    .map((kind) => {
      const { for: role, foundBy, workingDays, remedy } = catalogue[kind];
      const [, text = ''] = new RegExp(`^### ${kind}\\n\\n(.+?)(?=^##)`, 'ms').exec(operationsPage) ?? [];
      const [meaning = '', action = ''] = text.split('**Do:**').map((part) => inTable(part.replace(runbookParts, '')));
      if (meaning === '' || action === '') throw new Error(`docs/operations.md does not say what ${kind} means and what to do`);
      const verb = remedy === undefined ? '' : ` (verb [\`${remedy}\`](verbs.md))`;
      return `| [\`${kind}\`](operations.md#${kind}) | ${role} | ${foundBy.join(', ')} | ${workingDays ?? ''} | ${meaning} | ${action}${verb} |`;
    });
  const title = severity.slice(0, 1).toUpperCase() + severity.slice(1);
  return [
    `### ${title}`,
    '',
    '| kind | for | found by | working days | meaning | what to do |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** A text of docs/operations.md on one line, with links that lead there from this page. */
function inTable(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('](#', '](operations.md#').replaceAll('|', '\\|');
}

function section(title: string, entries: Readonly<Record<string, ErrorEntry>>): string {
  const rows = Object.entries(entries)
    .sort(([first], [second]) => first.localeCompare(second, 'en'))
    .map(
      ([code, { status, retryable, meaning, remedy }]) =>
        `| \`${code}\` | ${status ?? ''} | ${retryable ? 'yes' : ''} | ${meaning} | ${remedy} |`,
    );
  return ['## ' + title, '', '| code | HTTP | retry | meaning | remedy |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}
