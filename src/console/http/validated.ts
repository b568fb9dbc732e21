import { zValidator } from '@hono/zod-validator';
import type { ValidationTargets } from 'hono';
import type { z } from 'zod';
import { StopError } from '../../platform/errors.ts';
import '../../platform/validation-messages.ts';

/** Invalid fields that an error names. */
const maxFields = 100;

/** Validates a part of a request by a schema, which types it for handlers and for the browser's client. Throws `invalid_request`. */
export function validated<Target extends keyof ValidationTargets, Schema extends z.ZodType>(target: Target, schema: Schema) {
  return zValidator(target, schema, (result) => {
    if (!result.success) throw invalidInput((result.error as z.core.$ZodError).issues);
    if (!isStorable(result.data)) {
      const fields = { [target === 'json' ? 'body' : target]: 'must be text: it has a character that no text can hold' };
      throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
    }
  });
}

/** PostgreSQL's texts hold neither the character NUL nor half of a surrogate pair. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

/** 400 with one text per invalid field; `body` stands for the input as a whole. */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): StopError {
  const fields = issues.slice(0, maxFields).map(({ path, message }) => [path.join('.') || 'body', message] as const);
  // The first text of each field.
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields: Object.fromEntries(fields.toReversed()) });
}
