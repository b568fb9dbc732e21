import { z } from 'zod';
import { type Country, listCountries } from '../../../ledger/customers/countries.ts';
import { type FormWords, formWords } from '../../../wire/form-words.ts';
import type { Field } from '../fields.ts';

/**
 * The fields of a form by its schema, in its order; what is nested has its path, such as `idDocument.number`. `isOwn` says that the user is asked about
 * themselves: the browser does not know the data of a colleague.
 */
export function formFieldsOf({ shape }: z.ZodObject, { isOwn = true, prefix = '', required = true } = {}): Field[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const isRequired = required && !(schema instanceof z.ZodOptional);
    const inner: unknown = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    if (inner instanceof z.ZodObject) return formFieldsOf(inner, { isOwn, prefix: `${name}.`, required: isRequired });
    const words = formWords.get(schema as z.ZodType);
    if (words === undefined) return [];
    const { autocomplete = 'off', ...rest } = words;
    const field = { name: prefix + name, autocomplete: isOwn ? autocomplete : 'off', required: isRequired };
    return Object.assign(field, fieldOf(rest, inner));
  });
}

function fieldOf(
  { options, isLong, ...words }: Omit<FormWords, 'autocomplete'>,
  schema: unknown,
): Pick<Field, 'label' | 'options' | 'control'> {
  const control = controlOf(schema, isLong);
  return { ...words, ...(options !== undefined && { options: choicesOf(options) }), ...(control !== undefined && { control }) };
}

function controlOf(schema: unknown, isLong = false): Field['control'] {
  if (schema instanceof z.ZodBoolean) return 'yesNo';
  if (schema instanceof z.ZodArray) return 'checkboxes';
  return isLong ? 'textarea' : undefined;
}

function choicesOf(options: NonNullable<FormWords['options']>): [string, string][] {
  if (typeof options !== 'string') return Object.entries(options);
  const countries = listCountries().filter(({ nationality, residency }) => {
    if (options === 'countries of nationality') return isServed(nationality);
    return options === 'countries' || isServed(residency);
  });
  const named = countries.map(({ code, name }): [string, string] => [code, name]);
  return named.toSorted(([, first], [, second]) => first.localeCompare(second, 'en'));
}

function isServed(category: Country['residency']): boolean {
  return category !== 'restricted' && category !== 'prohibited';
}
