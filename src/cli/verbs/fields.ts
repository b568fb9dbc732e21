import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { isUuid } from '../../platform/uuid.ts';
import { parseSince, repeatable } from '../option-values.ts';

/** A field of an input, as its JSON Schema says it. `flags` are those of its option, where they are not its name. */
export interface Field {
  description?: string;
  type?: string;
  format?: string;
  items?: Field;
  anyOf?: Field[];
  enum?: string[];
  default?: unknown;
  flags?: string;
}

/** Values of fields by their names: none where an option is left out. */
export type Body = Record<string, unknown>;

/** The fields of an input by their names, and which of them it needs. */
export function fieldsOf(input: z.ZodType, io: 'input' | 'output'): { properties: Record<string, Field>; required: string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io, unrepresentable: 'any' });
  return { properties: properties as Record<string, Field>, required };
}

/** Adds an option for each of these fields, and returns what makes the body of a request from the options that were used. */
export function addFieldOptions(
  command: Command,
  fields: readonly (readonly [string, Field])[],
  mandatory: readonly string[] = [],
): (options: object) => Body {
  const names = fields.map(([name, field]) => {
    const option = optionOf(name, field).makeOptionMandatory(mandatory.includes(name));
    command.addOption(option);
    return [option.attributeName(), name] as const;
  });
  return (options) => {
    const values = options as Body;
    return Object.fromEntries(names.flatMap(([attribute, name]) => (values[attribute] === undefined ? [] : [[name, values[attribute]]])));
  };
}

function optionOf(name: string, field: Field): Option {
  const { description = '', type, format, enum: choices, flags } = field;
  const long = flags ?? (type === 'boolean' ? `--${kebab(name)}` : `--${kebab(name)} <${format === 'uuid' ? 'id' : 'text'}>`);
  const several = field.items?.enum;
  if (several !== undefined) return new Option(`--${kebab(name)} <${kebab(name)}...>`, description).choices(several);
  if (type === 'array') return repeatable(long, description, String);
  const option = new Option(
    long,
    isTime(field) ? `${description}: a date, a time in RFC 3339, or a span back from now such as 90m, 24h or 7d` : description,
  );
  if (choices !== undefined) return option.choices(choices);
  return type === 'boolean' ? option : option.argParser(readerOf(field));
}

/** Reads the text of an argument or an option. What it must be, beyond its type, the verb says. */
export function readerOf(field: Field): (text: string) => string | number {
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

/** The name of a field as the command line has it, such as `to-iban`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
