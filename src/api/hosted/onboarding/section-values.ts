import type { z } from 'zod';
import { fieldMessages } from '../../http/errors.ts';
import type { Field, Values } from '../fields.ts';

// The fields of a section have the names of its data, with dots where the data are nested: `idDocument.number`.

/** What a user has entered into fields. Texts are trimmed, and their lines are joined. */
export function readValues(fields: readonly Field[], form: URLSearchParams): Values {
  return Object.fromEntries(
    fields.map(({ name, control }) => [name, control === 'checkboxes' ? form.getAll(name) : clean(form.get(name) ?? '')]),
  );
}

/** No browser sends NUL characters or half of a surrogate pair, which PostgreSQL cannot store in a draft. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').replaceAll(/\r?\n/g, ' ').trim();
}

/** Values as the data of a section, for its schema. What is empty is left out. */
export function toData(fields: readonly Field[], values: Values): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const field of fields) {
    const value = toDatum(field, values[field.name] ?? '');
    if (value === undefined) continue;
    const [name = '', inner] = field.name.split('.');
    data[name] = inner === undefined ? value : { ...(data[name] as object | undefined), [inner]: value };
  }
  return data;
}

function toDatum({ control }: Field, value: string | readonly string[]): unknown {
  if (value.length === 0) return control === 'checkboxes' ? [] : undefined;
  return control === 'yesNo' && (value === 'true' || value === 'false') ? value === 'true' : value;
}

/** The data of a section as values. */
export function toValues(fields: readonly Field[], data: Record<string, unknown>): Values {
  const values: Values = {};
  for (const { name } of fields) {
    const value = name.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], data);
    if (Array.isArray(value)) values[name] = value.map(String);
    else if (typeof value === 'string' || typeof value === 'boolean') values[name] = String(value);
  }
  return values;
}

/** What is wrong with the data of a section, by the name of the field, or by the path in the data where there is no field. */
export function problemsOf(fields: readonly Field[], error: z.ZodError): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const [path, text] of Object.entries(fieldMessages(error.issues)))
    problems[fieldAt(fields, path)?.name ?? path] ??= inWords(fields, text);
  return problems;
}

/** A text with the options that it names in words: `is required with "Something else"`. */
function inWords(fields: readonly Field[], text: string): string {
  const options = fields.flatMap((field) => field.options ?? []).filter(([code]) => code.includes('_'));
  return options.reduce((words, [code, label]) => words.replaceAll(code, `"${label}"`), text);
}

/** The field for a path in the data. A list is shown at its field, and an object that is missing as a whole at its first one. */
export function fieldAt(fields: readonly Field[], path: string): Field | undefined {
  const field = fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
  return field ?? fields.find(({ name }) => name.startsWith(`${path}.`));
}
