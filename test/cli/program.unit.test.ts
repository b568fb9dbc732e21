import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { sandboxCommands } from '../../sandbox/commands.ts';
import { createProgram } from '../../src/cli/program.ts';

const commands = withSubcommands(await createProgram(process.argv, sandboxCommands), []);

it.each(commands.map(({ path }) => [path] as const))(
  'mintrail %j --help describes it, its options and arguments, and ends with 0',
  async (path) => {
    // A program keeps the options that were parsed, so each command line gets one of its own.
    const all = withSubcommands(await createProgram(process.argv, sandboxCommands), []);
    let [help, error] = ['', ''];
    for (const { command } of all) command.configureOutput({ writeOut: (text) => (help += text), writeErr: (text) => (error += text) });
    const ended: unknown = await all[0]?.command.parseAsync([...path, '--help'], { from: 'user' }).catch((reason: unknown) => reason);
    expect(ended).toMatchObject({ exitCode: 0, code: 'commander.helpDisplayed' });
    expect(error).toBe('');
    expect(help).toMatch(/^Usage: mintrail/);
    expect(help).not.toMatch(/undefined|\[object|NaN/);
    const { command } = all.find((one) => one.path.join(' ') === path.join(' ')) ?? {};
    expect(command?.description()).toMatch(/./);
    for (const { long, description } of command?.options ?? []) {
      expect(description, long).not.toBe('');
      expect(help).toContain(long);
    }
    for (const argument of command?.registeredArguments ?? []) expect(argument.description, argument.name()).not.toBe('');
    for (const child of command?.commands ?? []) expect(help).toContain(child.name());
  },
);

function withSubcommands(command: Command, path: string[]): { path: string[]; command: Command }[] {
  return [{ path, command }, ...command.commands.flatMap((child) => withSubcommands(child, [...path, child.name()]))];
}
