import type { z } from 'zod';
import { StopError } from '../platform/errors.ts';
import '../platform/validation-messages.ts';

/** Invalid fields that an error names. */
const maxFields = 100;

/** 400 with one text per invalid field; `body` stands for the input as a whole. */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): StopError {
  const fields = issues.slice(0, maxFields).map(({ path, message }) => [path.join('.') || 'body', message] as const);
  // The first text of each field.
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields: Object.fromEntries(fields.toReversed()) });
}
