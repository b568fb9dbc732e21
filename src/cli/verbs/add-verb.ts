import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { Verb } from '../../operations/verb.ts';
import { isUuid } from '../../platform/uuid.ts';
import { markAsChange } from '../operator.ts';
import { parseSince, repeatable } from '../option-values.ts';
import { carryOutVerb, type VerbOptions, type VerbOutput } from './carry-out-verb.ts';

/** A field of an input, as its JSON Schema says it. `flags` are those of its option, where they are not its name. */
interface Field {
  description?: string;
  type?: string;
  format?: string;
  items?: Field;
  anyOf?: Field[];
  enum?: string[];
  default?: unknown;
  flags?: string;
}

/** What a command shows of a verb, and how its line differs from the fields. */
export interface VerbRendering<Result> extends VerbOutput<Result> {
  /** Options that stand for several fields, such as `--as difference:DEBIT`: what they are read to are the values of these fields. */
  combined?: readonly { option: Option; fields: readonly string[] }[];
}

/** Values of a field: none where an option is left out. */
type Body = Record<string, unknown>;

/**
 * Adds the command of a verb below the command of its noun. Arguments, options and help are made from the input of the verb, which validates them, too.
 */
export function addVerb<Schema extends z.ZodType, Result>(
  noun: Command,
  verb: RenderedVerb<Schema, Result>,
  rendering: VerbRendering<Result>,
): void {
  const { words, fields } = parseCommand(verb.command ?? '');
  const { properties, required } = z.toJSONSchema(verb.input, { io: 'input', unrepresentable: 'any' }) as unknown as {
    properties: Record<string, Field>;
    required?: string[];
  };
  const command = noun.command(words.at(-1) ?? '').description(verb.summary);
  for (const name of fields) command.addArgument(argumentOf(name, properties[name], required?.includes(name) === true));
  const { combined = [] } = rendering;
  const elsewhere = new Set([...fields, ...combined.flatMap((part) => part.fields)]);
  for (const { option } of combined) command.addOption(option);
  const optional = Object.entries(properties).filter(([name]) => !elsewhere.has(name));
  const optionNames = new Map(
    optional.map(([name, field]) => {
      const isRequired = required?.includes(name) === true && verb.shown?.includes(name) !== true;
      const option = optionOf(name, field).makeOptionMandatory(isRequired);
      command.addOption(option);
      return [option.attributeName(), name];
    }),
  );
  addVerbOptions(command, verb).action(async (...parameters: unknown[]) => {
    const values = parameters.slice(0, fields.length);
    const options = parameters[fields.length] as VerbOptions & Body;
    const body: Body = {};
    // A list that may be left out is empty then.
    for (const [index, name] of fields.entries()) if (!Array.isArray(values[index]) || values[index].length > 0) body[name] = values[index];
    for (const [attribute, name] of optionNames) if (options[attribute] !== undefined) body[name] = options[attribute];
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

function optionOf(name: string, field: Field): Option {
  const { description = '', type, format, enum: choices, flags } = field;
  const long = flags ?? (type === 'boolean' ? `--${kebab(name)}` : `--${kebab(name)} <${format === 'uuid' ? 'id' : 'text'}>`);
  if (type === 'array') return repeatable(long, description, String);
  const option = new Option(
    long,
    isTime(field) ? `${description}: a date, a time in RFC 3339, or a span back from now such as 90m, 24h or 7d` : description,
  );
  if (choices !== undefined) return option.choices(choices);
  return type === 'boolean' ? option : option.argParser(readerOf(field));
}

/** Reads the text of an argument or an option. What it must be, beyond its type, the verb says. */
function readerOf(field: Field): (text: string) => string | number {
  const { type, format } = field;
  if (isTime(field)) return (text) => parseSince(text).toISOString();
  return (text) => {
    if (format === 'uuid' && !isUuid(text)) throw new InvalidArgumentError(`${text} is not an id (a UUID).`);
    if (format === 'uuid') return text.toLowerCase();
    if (type === 'integer' && !/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
    return type === 'integer' ? Number(text) : text;
  };
}

/** A field that may also be said as a span back from now. */
function isTime({ format, anyOf = [] }: Field): boolean {
  return [format, ...anyOf.map((other) => other.format)].includes('date-time');
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
