// Writes docs/errors.md from the error catalogue and from what docs/operations.md says of problems and warnings; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bankErrors } from '../src/platform/error-codes/bank-errors.ts';
import type { ErrorEntry } from '../src/platform/error-codes/entry.ts';
import { networkErrors } from '../src/platform/error-codes/network-errors.ts';
import { operationErrors } from '../src/platform/error-codes/operation-errors.ts';
import { requestErrors } from '../src/platform/error-codes/request-errors.ts';
import { resourceErrors } from '../src/platform/error-codes/resource-errors.ts';
import { problemKinds } from '../src/status/problem.ts';
import { warningKinds } from '../src/status/warning.ts';
import { alarmKinds } from '../src/workers/alarms.ts';

/** What a table of kinds leaves out of a runbook: how to look, and when it is over. */
const runbookParts = /\*\*(?:Look|Over):\*\*.*$/s;

const operationsPage = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');

const page = `# Errors, problems and warnings

All that an operator or a developer can be told: errors, and below them the [problems](#problems) and [warnings](#warnings) of \`mintrail status\`.

Every error of Mintrail has a stable code. The API puts it into the body of its answer as \`reason\`, beside the HTTP status and a message
for people; the command line prints it in parentheses after the message, or with \`--json\` as \`error.code\`; log lines carry it as \`code\`.
Programs should decide by the code, never by the message. New codes may be added. What only a person can do something about shares a code
(\`not_found\`, \`not_possible\`, \`bad_input\`): the message names the field, the value and the remedy.

**Retry** says whether the same call may succeed later without any change. Where **HTTP** is empty, no request is meant to cause the error:
if one does, the API answers with \`service_unavailable\` when the error is retryable, otherwise with \`internal_error\`.

This page is generated from \`src/platform/error-codes/\` and [operations](operations.md#alarms) by \`npm run docs\`.

${section('Requests', requestErrors)}
${section('Customers, orders, webhooks and swaps', resourceErrors)}
${section('Bank files, credits, payouts and IBANs', bankErrors)}
${section('Networks, tokens and signers', networkErrors)}
${section('Settings, command line, console and processes', operationErrors)}
${kindSection('Problems', 'What `mintrail status` names with this kind, `mintrail_problems` counts and the log has as `alarm` or `problem`. Each has its section in', 'Alarms', [...problemKinds, ...alarmKinds])}
${kindSection('Warnings', 'What `mintrail status` warns of with this kind, and `mintrail_warnings` counts. Each has its section in', 'Warnings', warningKinds)}`;

const file = new URL('../docs/errors.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/errors.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

/** A table of kinds, each with what docs/operations.md says of it. Throws when it says nothing of one. */
function kindSection(title: string, introduction: string, operations: string, kinds: readonly string[]): string {
  const rows = [...new Set(kinds)].toSorted().map((kind) => {
    const [, text = ''] = new RegExp(`^### ${kind}\\n\\n(.+?)(?=^##)`, 'ms').exec(operationsPage) ?? [];
    const [meaning = '', remedy = ''] = text.split('**Do:**').map((part) => inTable(part.replace(runbookParts, '')));
    if (meaning === '' || remedy === '') throw new Error(`docs/operations.md does not say what ${kind} means and what to do`);
    return `| \`${kind}\` | ${meaning} | ${remedy} |`;
  });
  const text = `${introduction} [operations](operations.md#${operations.toLowerCase()}).`;
  return [`## ${title}`, '', text, '', '| kind | meaning | what to do |', '|---|---|---|', ...rows, ''].join('\n');
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
