import type { z } from 'zod';
import { fieldMessages } from '../http/errors.ts';
import type { FormState } from './fields.ts';

/** Reads a form: its data, or its values with the problem of each invalid field. */
export function readForm<Schema extends z.ZodType>(schema: Schema, form: URLSearchParams): { data: z.output<Schema> } | FormState {
  const values = Object.fromEntries([...form].map(([name, value]) => [name, isPassword(name) ? value : value.trim()]));
  const parsed = schema.safeParse(values);
  return parsed.success ? { data: parsed.data } : { values, problems: fieldMessages(parsed.error.issues) };
}

/** Spaces at the ends belong to a password. */
function isPassword(name: string): boolean {
  return name === 'password' || name === 'currentPassword';
}
