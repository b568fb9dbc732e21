// Writes docs/errors.md from the error catalogue; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bankErrors } from '../src/platform/error-codes/bank-errors.ts';
import type { ErrorEntry } from '../src/platform/error-codes/entry.ts';
import { networkErrors } from '../src/platform/error-codes/network-errors.ts';
import { operationErrors } from '../src/platform/error-codes/operation-errors.ts';
import { requestErrors } from '../src/platform/error-codes/request-errors.ts';
import { resourceErrors } from '../src/platform/error-codes/resource-errors.ts';

const page = `# Errors

Every error of Mintrail has a stable code.
The API puts it into the body of its answer as \`reason\`, beside the HTTP status and a message for people.
The command line prints it in parentheses after the message, or with \`--json\` as \`error.code\`; log lines carry it as \`code\`.
Programs should decide by the code, never by the message, and expect new ones.
What only a person can do something about shares a code (\`not_found\`, \`not_possible\`, \`bad_input\`): the message names the field, the value and the remedy.

**Retry** says whether the same call may succeed later without any change.
Where **HTTP** is empty, no request is meant to cause the error: if one does, the API answers with \`service_unavailable\` when the error is retryable, otherwise with \`internal_error\`.

What \`mintrail status\` names is a problem, and has a [runbook](operations/runbooks/README.md).

This page is generated from \`src/platform/error-codes/\` by \`npm run docs\`.

${section('Requests', requestErrors)}
${section('Customers, orders, webhooks and swaps', resourceErrors)}
${section('Bank files, credits, payouts and IBANs', bankErrors)}
${section('Networks, tokens and signers', networkErrors)}
${section('Settings, command line, console and processes', operationErrors)}`;

const file = new URL('../docs/errors.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/errors.md is stale: run `npm run docs`');
  process.exitCode = 1;
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
