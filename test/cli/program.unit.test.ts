import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const commands = withSubcommands(await createProgram(), []);

describe('the help of', () => {
  it.each(commands.map(({ path, command }) => [path.join(' '), command] as const))(
    'mintrail %s describes it and each of its options',
    (_, command) => {
      const help = helpOf(command);
      expect(command.description()).not.toBe('');
      expect(help).toContain(`Usage: `);
      for (const { long, description } of command.options) {
        expect(description, long).not.toBe('');
        expect(help).toContain(long);
      }
      for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe('');
    },
  );
});

it.each(commands.map(({ path }) => [[...path, '--help']] as const))('mintrail %j ends with 0, and prints no error', async (args) => {
  // A program keeps the options that were parsed, so each command line gets one of its own.
  const program = await createProgram();
  let [out, error] = ['', ''];
  for (const { command } of withSubcommands(program, []))
    command.configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (error += text) });
  const ended: unknown = await program.parseAsync(args, { from: 'user' }).catch((reason: unknown) => reason);
  expect(ended).toMatchObject({ exitCode: 0, code: 'commander.helpDisplayed' });
  expect(error).toBe('');
  expect(out).toMatch(/^Usage: mintrail/);
  expect(out).not.toMatch(/undefined|\[object|NaN/);
});

it('every command is in the help of the command above it', () => {
  for (const { command } of commands) if (command.parent) expect(helpOf(command.parent)).toContain(command.name());
});

function withSubcommands(command: Command, path: string[]): { path: string[]; command: Command }[] {
  return [{ path, command }, ...command.commands.flatMap((child) => withSubcommands(child, [...path, child.name()]))];
}

/** All that `--help` prints, with the texts that are added below it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
