import { zValidator } from '@hono/zod-validator';
import type { ValidationTargets } from 'hono';
import { z } from 'zod';
import { StopError } from '../../platform/errors.ts';
import { invalidInput } from '../../operations/invalid-input.ts';
import '../../platform/validation-messages.ts';

/** Any JSON object. Not of `z.json()`, which takes seconds for a megabyte of small parts. */
export const jsonObject = z.record(z.string(), z.unknown());

/** Levels of lists and objects in a request at most. No page sends more, and what walks through them calls itself for each. */
const mostLevels = 32;

/** Validates a part of a request by a schema, which types it for handlers and for the browser's client. Throws `invalid_request`. */
export function validated<Target extends keyof ValidationTargets, Schema extends z.ZodType>(target: Target, schema: Schema) {
  return zValidator(target, schema, (result) => {
    if (!result.success) throw invalidInput((result.error as z.core.$ZodError).issues);
    if (!isStorable(result.data, mostLevels)) {
      const message = `must be text: it has a character that no text can hold, or more than ${mostLevels} levels`;
      const fields = { [target === 'json' ? 'body' : target]: message };
      throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
    }
  });
}

/** PostgreSQL's texts hold neither the character NUL nor half of a surrogate pair. What has more levels is not stored either. */
function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isStorable(inner, levels - 1));
}
