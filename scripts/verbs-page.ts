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

A verb is a change that an operator makes in the [console](console.md#actions), by a command, or by both, with the same fields, guards, sentence and audit log.
A command shows what would happen, and asks on the terminal; \`--yes\` is for scripts.

What takes a second person waits for one where \`FOUR_EYES\` is on: a command files the request for an operator of the console (\`--as NAME\`), and another one with one of the roles approves it there.
In an emergency, \`--alone REASON\` does without: \`mintrail status\` [warns of it](operations/runbooks/acted_alone.md) for two working days.
An operator of the console may do by a command what their role may; whoever is none has the access of the machine's administrator.

By the same roles, and with no second person: \`bank import\`, by treasurer, which does not ask (the verb \`bank.import\` is for a file that came through a browser); \`profile create\`, \`profile submit\` and \`profile documents\`, by reviewer; \`secrets rotate\`; each by administrator, too.

${[...Map.groupBy(verbs as readonly unknown[] as readonly Verb[], ({ roles }) => roles.join(', '))].map(section).join('\n')}
## What operators can list

A view is a list that a page of the console and a command show (\`--json\`: the rows as the console has them); whoever has the machine's access may call it.

${views.map(({ name, command, roles, summary }) => `- \`${name}\` (\`${command}\`): ${summary}${roles.length === operatorRoles.length ? '' : `; in the console for ${roles.join(', ')}`}`).join('\n')}

## Exit codes

| code | meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`)
  .join('\n')}

Generated from \`src/operations/\` by \`npm run docs\`.
`;

const file = new URL('../docs/verbs.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/verbs.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

/** The verbs that some roles may carry out. */
function section([roles, ofRoles]: [string, Verb[]]): string {
  return `## By ${roles}\n\n${ofRoles.map(row).join('\n')}\n`;
}

function row({ name, command, needsSecondPerson, summary }: Verb): string {
  const second = typeof needsSecondPerson === 'boolean' ? (needsSecondPerson ? 'two people' : []) : 'sometimes two people';
  const facts = [command === undefined ? [] : `\`${command}\``, second].flat();
  return `- \`${name}\`${facts.length > 0 ? ` (${facts.join('; ')})` : ''}: ${summary}`;
}
