import { z } from '@hono/zod-openapi';
import type { ErrorStatus } from '../../platform/error-codes/entry.ts';

/** The body of every error (docs/api.md, Errors). */
export const errorSchema = z
  .object({
    code: z.int().openapi({ description: 'the HTTP status' }),
    status: z.string().openapi({ description: 'its reason phrase' }),
    message: z.string(),
    reason: z.string().openapi({ description: 'stable code of what happened, as docs/errors.md lists them; more may be added' }),
    errors: z.record(z.string(), z.string()).optional().openapi({ description: 'one text per invalid field' }),
  })
  .openapi('Error');

/** The body of 202 where the request goes on after its answer. */
export const acceptedSchema = z.object({ code: z.literal(202), status: z.literal('Accepted') }).openapi('Accepted');

/** The body of an answer with status 202. */
export const acceptedBody: z.infer<typeof acceptedSchema> = { code: 202, status: 'Accepted' };

/** A JSON body in a route's `responses` or `request.body`. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** The body of a list: its items under their name, and how many there are on all pages together. */
export function listSchema<const Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const shape = { [name]: z.array(item), total: z.int() };
  return z.object(shape as Record<Name, z.ZodArray<Item>> & { total: z.ZodInt });
}

/** A required JSON request body. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { ...json(schema, description), required: true };
}

/** The errors that an endpoint documents; 429, 500 and 503 are always among them. */
export function errorResponses<const Status extends ErrorStatus>(...statuses: Status[]) {
  const entries = [...statuses, 429 as const, 500 as const, 503 as const].map((status) => [status, json(errorSchema, meanings[status])]);
  return Object.fromEntries(entries) as Record<Status | 429 | 500 | 503, ReturnType<typeof json<typeof errorSchema>>>;
}

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is not valid',
  401: 'Missing or invalid bearer token',
  403: 'The caller is not allowed to do this',
  404: 'There is no such endpoint or item',
  406: 'The request asks for another version than 2',
  409: 'It conflicts with the current state, or a request with this idempotency key is still being answered: Retry-After says when to try again',
  413: 'The body is too large',
  422: 'The idempotency key was used for another request',
  429: 'Too many requests: the header Retry-After says after how many seconds to try again',
  500: 'Internal error',
  503: 'Temporarily out of service',
};

/** Documents an endpoint that needs a bearer token, under a heading of the API documentation. */
export function bearerAccess(heading: string) {
  return { tags: [heading], security: [{ bearer: [] }] };
}
