// Writes docs/verbs.md from the registry of what operators can change; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { exitCodes } from '../src/cli/render-error.ts';
import { operatorRoles } from '../src/ledger/operators/operators.ts';
import { verbs } from '../src/operations/registry.ts';
import type { Verb } from '../src/operations/verb.ts';
import { views } from '../src/operations/views.ts';

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'it succeeded',
  failed: 'it failed, or found a problem',
  usage: 'the command line is wrong: `--help` shows the usage',
  unconfirmed: 'it was not confirmed, on a terminal or by `--yes`: nothing was done',
  waiting: 'it waits for a second person; with `--json` it prints `{"approval": ID}`',
  retry: 'an outage: the same command may succeed later',
};

const page = `# What operators can change

A verb is a change that an operator makes in the [console](console.md#actions), by a command, or by both. It stands once, in \`src/operations/\`: both doors have
its fields, its guards, its sentence and its entries in the audit log. A command shows the sentence of what would happen, with amounts, names and addresses,
and asks on the terminal whether to do it; \`--yes\` is for scripts. Where there is no terminal and no \`--yes\`, nothing is done.

What takes a second person waits for one where \`FOUR_EYES\` is on. A command then files the same request as the console, for which its caller must be an operator of
the console (\`--as NAME\`), and another operator with one of the roles approves it in the console. In an emergency, \`--alone REASON\` does without: the audit log
has it as \`operation.alone\`, and \`mintrail status\` [warns of it](operations/runbooks/acted_alone.md) for a day. An operator of the console may do by a command what their role
may; whoever is none has the access of the machine's administrator.

\`mintrail bank import\` is not the verb \`bank.import\`: it does not ask, and takes no second person. It reads files of the machine, as the worker reads \`BANK_INBOX\`, and whoever
can call it can put a file there, too. The verb is for a file that came through a browser.

| verb | command | who may | second person | what it does |
|---|---|---|---|---|
${(verbs as readonly unknown[] as readonly Verb[]).map(row).join('\n')}

## What operators can list

A view is a list that a page of the console and a command show. It stands once, beside the verbs: both have its choices and its rows. A command prints a table, and with
\`--json\` the rows as the console has them; whoever has the machine's access may call it.

| view | command | who may read it in the console | what it does |
|---|---|---|---|
${views.map(({ name, command, roles, summary }) => `| \`${name}\` | \`${command}\` | ${roles.length === operatorRoles.length ? 'every operator' : roles.join(', ')} | ${summary} |`).join('\n')}

## Exit codes

| code | meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`)
  .join('\n')}

This page is generated from \`src/operations/\` by \`npm run docs\`.
`;

const file = new URL('../docs/verbs.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/verbs.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

function row({ name, command, roles, needsSecondPerson, summary }: Verb): string {
  const second = typeof needsSecondPerson === 'boolean' ? (needsSecondPerson ? 'yes' : '') : 'sometimes';
  return `| \`${name}\` | ${command === undefined ? '' : `\`${command}\``} | ${roles.join(', ')} | ${second} | ${summary} |`;
}
