import type { Command } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const program = await createProgram();
const pages = ['README.md', ...readdirSync('docs', { encoding: 'utf8' }).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))];

it.each(pages)('every command line of mintrail in %s is of a command that exists, with options that it has', (page) => {
  const wrong = commandLines(readFileSync(page, 'utf8')).flatMap((line) => {
    const mistake = mistakeIn(line);
    return mistake === undefined ? [] : [`${line}: ${mistake}`];
  });
  expect(wrong).toEqual([]);
});

it('names a command and an option that do not exist', () => {
  const text =
    'Run `mintrail chain check --chain gnosis`, `npx mintrail tokens`.\n\n```sh\nmintrail status --jsn \\\n  --chain x | tee a\n```\n';
  expect(commandLines(text).map(mistakeIn)).toEqual([
    'no option --jsn of mintrail status',
    'no option --chain of mintrail chain check',
    'no command mintrail tokens',
  ]);
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

/** Options of the program, such as `--settings FILE`, come before the command. */
function mistakeIn(line: string): string | undefined {
  const words = line.replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT').split(/\s+/);
  let command: Command = program;
  while (words[0]?.startsWith('--') === true) {
    const option = optionOf(command, words[0]);
    if (option === undefined) return `no option ${words[0]} of mintrail`;
    words.splice(0, option.required ? 2 : 1);
  }
  for (let child; (child = command.commands.find((each) => each.name() === words[0])) !== undefined; words.shift()) command = child;
  const isName = /^[a-z][a-z-]*$/.test(words[0] ?? '');
  if (isName && command.registeredArguments.length === 0 && command.commands.length > 0)
    return `no command mintrail ${nameOf(command, words[0])}`;
  const unknown = words.find((word) => word.startsWith('--') && optionOf(command, word.split('=')[0] as string) === undefined);
  return unknown === undefined ? undefined : `no option ${unknown} of mintrail ${nameOf(command)}`;
}

function optionOf(command: Command, name: string) {
  return command.options.find(({ long }) => long === name) ?? (name === '--help' ? { required: false } : undefined);
}

function nameOf(command: Command, word?: string): string {
  const names = word === undefined ? [] : [word];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
