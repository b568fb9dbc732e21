import { Argument, type Command, type Option } from 'commander';
import type { z } from 'zod';
import type { Verb } from '../../operations/verb.ts';
import { markAsChange } from '../operator.ts';
import { carryOutVerb, type VerbOptions, type VerbOutput } from './carry-out-verb.ts';
import { addFieldOptions, type Body, type Field, fieldsOf, kebab, readerOf } from './fields.ts';

/** What a command shows of a verb, and how its line differs from the fields. */
export interface VerbRendering<Result> extends VerbOutput<Result> {
  /** Options that stand for several fields, such as `--as difference:DEBIT`: what they are read to are the values of these fields. */
  combined?: readonly { option: Option; fields: readonly string[] }[];
}

/**
 * Adds the command of a verb below the command of its noun. Arguments, options and help are made from the input of the verb, which validates them, too.
 */
export function addVerb<Schema extends z.ZodType, Result>(
  noun: Command,
  verb: RenderedVerb<Schema, Result>,
  rendering: VerbRendering<Result>,
): void {
  const { words, fields } = parseCommand(verb.command ?? '');
  const { properties, required } = fieldsOf(verb.input, 'input');
  const command = noun.command(words.at(-1) ?? '').description(verb.summary);
  for (const name of fields) command.addArgument(argumentOf(name, properties[name], required.includes(name)));
  const { combined = [] } = rendering;
  const elsewhere = new Set([...fields, ...combined.flatMap((part) => part.fields)]);
  for (const { option } of combined) command.addOption(option);
  const optional = Object.entries(properties).filter(([name]) => !elsewhere.has(name));
  const mandatory = required.filter((name) => verb.shown?.includes(name) !== true);
  const bodyOf = addFieldOptions(command, optional, mandatory);
  addVerbOptions(command, verb).action(async (...parameters: unknown[]) => {
    const values = parameters.slice(0, fields.length);
    const options = parameters[fields.length] as VerbOptions & Body;
    // A list that may be left out is empty then.
    const named = fields.flatMap((name, index) => {
      const value = values[index];
      return Array.isArray(value) && value.length === 0 ? [] : [[name, value] as const];
    });
    const body: Body = { ...Object.fromEntries(named), ...bodyOf(options) };
    for (const { option } of combined) Object.assign(body, options[option.attributeName()]);
    await carryOutVerb(verb as unknown as Verb, body, options, rendering as VerbOutput<unknown>);
  });
}

/** What the command of a verb is made from. */
export type RenderedVerb<Schema extends z.ZodType, Result> = Pick<Verb, 'name' | 'summary' | 'command'> & {
  input: Schema;
  shown?: readonly string[] | undefined;
  needsSecondPerson: unknown;
  carryOut: (...parameters: never[]) => Promise<Result>;
};

/** Adds what the command of every verb takes: `--yes`, `--json`, and `--alone` where it may take a second person. */
export function addVerbOptions(command: Command, { needsSecondPerson }: { needsSecondPerson: unknown }): Command {
  markAsChange(command);
  command.option('--yes', 'do not ask whether to do it').option('--json', 'print JSON; needs --yes');
  if (needsSecondPerson !== false)
    command.option(
      '--alone <reason>',
      'where FOUR_EYES asks for a second person, do it without one, for this reason: an emergency, which is reported',
    );
  return command;
}

function parseCommand(command: string): { words: string[]; fields: string[] } {
  const all = command.split(' ');
  return {
    words: all.filter((word) => !isField(word)),
    fields: all.filter(isField).map((word) => word.replaceAll(/[^a-zA-Z]/g, '')),
  };
}

function isField(word: string): boolean {
  return /^[<[]/.test(word);
}

function argumentOf(name: string, field: Field = {}, isRequired: boolean): Argument {
  const term = `${kebab(name)}${field.type === 'array' ? '...' : ''}`;
  const argument = new Argument(isRequired ? `<${term}>` : `[${term}]`, field.description);
  if (field.items !== undefined)
    return argument.argParser((text, all: unknown[] | undefined) => [...(all ?? []), readerOf(field.items ?? {})(text)]);
  return field.enum === undefined ? argument.argParser(readerOf(field)) : argument.choices(field.enum);
}
