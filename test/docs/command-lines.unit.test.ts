import type { Command } from 'commander';
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sandboxCommands } from '../../sandbox/commands.ts';
import { createProgram } from '../../src/cli/program.ts';

const program = await createProgram(process.argv, sandboxCommands);
const pages = ['README.md', ...globSync(['docs/*.md', 'docs/operations/**/*.md'])];

/** Where problems, alarms and remedies are written. */
const sources = [
  'src/problems/*.ts',
  'src/workers/**/*.ts',
  'src/chain/probes/*.ts',
  'src/chain/token/contract-errors.ts',
  'src/ledger/reserve/describe-breach.ts',
  'src/ledger/bank/unmatched/unmatched-remedies.ts',
  'src/trace/leg-wait-text.ts',
];

it.each(pages)(
  'every command line of mintrail in %s is of a command that exists, with options that it has and those that it must have',
  (page) => {
    expect(mistakesIn(commandLines(readFileSync(page, 'utf8')), 'may be a name')).toEqual([]);
  },
);

it('every command that a problem or its remedy names has its arguments and mandatory options', () => {
  const lines = globSync(sources).flatMap((file) => commandTexts(readFileSync(file, 'utf8')));
  expect(lines.length).toBeGreaterThan(50);
  expect(mistakesIn(lines, 'is complete')).toEqual([]);
});

it('names a command and an option that do not exist', () => {
  const text =
    'Run `mintrail chain check --chain gnosis`, `npx mintrail tokens`.\n\n```sh\nmintrail status --jsn \\\n  --chain x | tee a\n```\n';
  expect(commandLines(text).map((line) => mistakeIn(line, 'may be a name'))).toEqual([
    'no option --jsn of mintrail status',
    'no option --chain of mintrail chain check',
    'no command mintrail tokens',
  ]);
});

it('names an argument and an option that are missing', () => {
  const text = 'const text = `run \\`mintrail orders give-back ${id}\\`, or \\`mintrail bank match\\``; // `mintrail tokens`\n';
  const lines = commandTexts(text);
  expect(mistakesIn(lines, 'is complete')).toEqual([
    'orders give-back TEXT: no --reason after mintrail orders give-back',
    'bank match: no <reference> after mintrail bank match',
  ]);
  expect(mistakesIn(lines, 'may be a name')).toHaveLength(1);
});

/** Where a command line of the program starts: where a command of the shell may start, with what calls it in a checkout and in compose. */
const start =
  /(?:^|[;({|]|\buntil|\bnpx|\bnode|\bdocker compose run --rm) *(?:mintrail|src\/cli\/mintrail\.mjs|cli) +((?:[a-z]|--)[^\n|;)&>]*)/gm;

/** What follows `mintrail` in code spans and in shell blocks, up to the end of that command; not where a function of the shell passes its arguments on. */
function commandLines(text: string): string[] {
  const fence = /^ *```(\w*)[^\n]*\n(.*?)^ *```$/gms;
  const blocks = [...text.matchAll(fence)].flatMap(([, language, block = '']) =>
    language === 'sh' ? block.replaceAll(/\\\n */g, '') : [],
  );
  const paragraphs = text.replaceAll(fence, '').split(/\n\s*\n/);
  const spans = paragraphs.flatMap((paragraph) => [...paragraph.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' ')));
  return [...blocks, ...spans]
    .flatMap((code) => [...code.matchAll(start)].map(([, line = '']) => line.trim()))
    .filter((line) => !line.includes('"$@"'));
}

/** What follows `mintrail` in the strings of a source, up to the end of that command; a value that is put in stands for one word. */
function commandTexts(source: string): string[] {
  const text = source.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '').replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'TEXT');
  const inTemplates = [...text.matchAll(/\\`mintrail ([^`\\]+)\\`/g)];
  const inQuotes = [...text.matchAll(/'[^'\n]*'/g)].flatMap(([quoted]) => Array.from(quoted.matchAll(/(?:`|^')mintrail ([^`'\\]+)[`']/g)));
  return [...inTemplates, ...inQuotes].map(([, line = '']) => line);
}

function mistakesIn(lines: readonly string[], wholeness: Wholeness): string[] {
  return lines.flatMap((line) => {
    const mistake = mistakeIn(line, wholeness);
    return mistake === undefined ? [] : [`${line}: ${mistake}`];
  });
}

/** In running text, the words of a command without its arguments are its name. */
type Wholeness = 'is complete' | 'may be a name';

/** Options of the program, such as `--settings FILE`, come before the command. */
function mistakeIn(line: string, wholeness: Wholeness): string | undefined {
  const words = line.replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT').split(/\s+/);
  let command: Command = program;
  while (words[0]?.startsWith('--') === true) {
    const option = optionOf(command, words[0]);
    if (option === undefined) return `no option ${words[0]} of mintrail`;
    words.splice(0, option.required ? 2 : 1);
  }
  for (let child; (child = command.commands.find((each) => each.name() === words[0])) !== undefined; words.shift()) command = child;
  if (words[0] === 'TEXT' && command.commands.length > 0) return undefined;
  const isName = /^[a-z][a-z-]*$/.test(words[0] ?? '');
  if (isName && command.registeredArguments.length === 0 && command.commands.length > 0)
    return `no command mintrail ${nameOf(command, words[0])}`;
  const unknown = words.find((word) => word.startsWith('--') && optionOf(command, word.split('=')[0] as string) === undefined);
  if (unknown !== undefined) return `no option ${unknown} of mintrail ${nameOf(command)}`;
  // Of a command with what stands elsewhere, or whose name is put in, nobody knows.
  if (/--help|…|\$\(/.test(line) || command.commands.length > 0) return undefined;
  const missing = missingOf(command, words);
  if (wholeness === 'may be a name' && (words.length === 0 || missing?.startsWith('<') === true)) return undefined;
  return missing === undefined ? undefined : `no ${missing} after mintrail ${nameOf(command)}`;
}

/** The first argument or mandatory option that is not among the words behind a command. */
function missingOf(command: Command, words: readonly string[]): string | undefined {
  const values = words.filter((word, index) => {
    const before = words[index - 1];
    const takesIt = before?.startsWith('--') === true && !before.includes('=') && isValued(optionOf(command, before));
    return !word.startsWith('--') && !takesIt;
  });
  const argument = command.registeredArguments.filter(({ required }) => required)[values.length];
  if (argument !== undefined) return `<${argument.name()}>`;
  const isThere = (long: string) => words.some((word) => word.split('=')[0] === long);
  return command.options.find(({ mandatory, long, defaultValue }) => mandatory && defaultValue === undefined && !isThere(long ?? ''))?.long;
}

function isValued(option: { required?: boolean; optional?: boolean } | undefined): boolean {
  return option?.required === true || option?.optional === true;
}

function optionOf(command: Command, name: string) {
  return command.options.find(({ long }) => long === name) ?? (name === '--help' ? { required: false } : undefined);
}

function nameOf(command: Command, word?: string): string {
  const names = word === undefined ? [] : [word];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
