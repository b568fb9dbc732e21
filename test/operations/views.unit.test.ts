import { expect, it } from 'vitest';
import { fieldsOf } from '../../src/cli/verbs/fields.ts';
import { sandboxCommands } from '../../sandbox/commands.ts';
import { createProgram } from '../../src/cli/program.ts';
import { views } from '../../src/operations/views.ts';
import type { View } from '../../src/operations/view.ts';

const program = await createProgram(process.argv, sandboxCommands);

it.each(views.map((view) => [view.command, view as unknown as View] as const))(
  'mintrail %s has an option for each choice of its view, and --after where the list can be read on',
  (line, { input, limit, keyOf }) => {
    let command = program;
    for (const word of line.split(' ')) command = command.commands.find((child) => child.name() === word) ?? program;
    expect(command).not.toBe(program);
    const fields = Object.entries(fieldsOf(input, 'output').properties);
    const choices = fields.map(([name, { flags }]) => flags?.split(' ')[0] ?? `--${name}`);
    const options = command.options.map(({ long }) => long);
    expect(new Set(options)).toEqual(new Set([...choices, ...(limit === undefined ? [] : ['--limit']), '--json']));
    expect(choices.includes('--after')).toBe(keyOf !== undefined);
  },
);
