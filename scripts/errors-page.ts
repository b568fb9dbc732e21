// Writes docs/errors.md from the error catalogue; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bankErrors } from '../src/platform/error-codes/bank-errors.ts';
import type { ErrorEntry } from '../src/platform/error-codes/entry.ts';
import { networkErrors } from '../src/platform/error-codes/network-errors.ts';
import { operationErrors } from '../src/platform/error-codes/operation-errors.ts';
import { requestErrors } from '../src/platform/error-codes/request-errors.ts';
import { resourceErrors } from '../src/platform/error-codes/resource-errors.ts';

const page = `# Errors

Every error has a stable code: \`reason\` in an answer of the API, in parentheses or as \`error.code\` (\`--json\`) on the command line, \`code\` in log lines.
Programs decide by the code, never by the message, and expect new ones.
What only a person can mend shares a code (\`not_found\`, \`not_possible\`, \`bad_input\`): the message names field, value and remedy.

In parentheses stands the HTTP status; *retry* means that the same call may succeed later unchanged.
An error without an HTTP status answers a request as \`service_unavailable\` if it is retryable, otherwise as \`internal_error\`.
What \`mintrail status\` names is a problem, and has a [runbook](operations/runbooks/README.md).

Generated from \`src/platform/error-codes/\` by \`npm run docs\`.

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
    .map(([code, { status, retryable, meaning, remedy }]) => {
      const kinds = [status ?? [], retryable ? 'retry' : []].flat();
      return `- \`${code}\`${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}: ${meaning} *${remedy}*`;
    });
  return [`## ${title}`, '', ...rows, ''].join('\n');
}
