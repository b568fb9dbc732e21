import { z } from '@hono/zod-openapi';
import { type ErrorCode, errorCatalogue } from '../../platform/error-catalogue.ts';
import type { ErrorStatus } from '../../platform/error-codes/entry.ts';

/** The body of every error (docs/api.md, Errors). */
export const errorSchema = z
  .object({
    code: z.int().openapi({ description: 'The HTTP status.', example: 400 }),
    status: z.string().openapi({ description: 'The reason phrase of the HTTP status.', example: 'Bad Request' }),
    message: z.string().openapi({ description: 'What happened, for people. Programs decide by `reason`.', example: 'Validation errors' }),
    reason: z.string().openapi({ description: 'Stable code of what happened. Codes may be added.', example: 'invalid_request' }),
    errors: z
      .record(z.string(), z.string().openapi({ description: 'What is wrong with the field, for people.' }))
      .optional()
      .openapi({
        description: 'One text for each invalid field, under its name, with dots for nested fields. `body` stands for the body as a whole.',
        example: { amount: 'must be greater than zero' },
      }),
    details: z
      .record(z.string(), z.string().openapi({ description: 'What is known, and what to do about it, for people.' }))
      .optional()
      .openapi({
        description: 'A sentence on each field of `errors` of which more is known than its text says, such as why a signature is invalid.',
        example: { message: 'A message authorises one payment: sign one with another time, which may differ by a second.' },
      }),
  })
  .openapi('Error', { description: 'An error. Every error of the API has this body.' });

/** The body of 202 where the request goes on after its answer. */
export const acceptedSchema = z
  .object({
    code: z.literal(202).openapi({ description: 'The HTTP status.' }),
    status: z.literal('Accepted').openapi({ description: 'The reason phrase of the HTTP status.' }),
  })
  .openapi('Accepted', { description: 'The request is recorded, and carried out after this answer.' });

/** The body of an answer that has nothing to say. */
export const emptySchema = z.object({}).openapi({ description: 'An empty object.' });

/** The body of an answer with status 202. */
export const acceptedBody: z.infer<typeof acceptedSchema> = { code: 202, status: 'Accepted' };

/** A JSON body in a route's `responses` or `request.body`. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** The body of a list: its items under their name, and how many there are on all pages together. */
export function listSchema<const Name extends string, Item extends z.ZodType>(name: Name, item: Item, description: string) {
  const total = z.int().openapi({ description: 'How many items match the query, on all pages together.' });
  const shape = { [name]: z.array(item).openapi({ description }), total };
  return z.object(shape as Record<Name, z.ZodArray<Item>> & { total: z.ZodInt });
}

/** The answer with a page of a list (docs/api.md, Paging); `items` describes them, `description` the answer. */
export function listResponse<const Name extends string, Item extends z.ZodType>(
  name: Name,
  item: Item,
  items: string,
  description: string,
) {
  const totalIsEstimate = z.literal(true).optional().openapi({
    description: 'Present when `total` is an estimate, because more items match than are counted. `total=exact` counts them.',
  });
  const schema = z.object({ ...listSchema(name, item, items).shape, totalIsEstimate });
  return { ...json(schema, description), headers: linkHeader };
}

/** The header of an answer that is not the last page (RFC 8288). */
export const linkHeader = z.object({
  Link: z.string().optional().openapi({ description: 'URL of the next page, with `rel="next"` (RFC 8288). Absent on the last page.' }),
});

/** The header with how many items there are on all pages together. */
export const totalHeader = z.object({
  'X-Total-Count': z.string().openapi({
    type: 'integer',
    description: 'How many items there are, on all pages together; an estimate when there are more than 1,000.',
  }),
});

/** A JSON request body, which is required unless the route says otherwise. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { ...json(nullIsLeftOut(schema), description), required: true };
}

/** The extension of OpenAPI under which an answer lists the codes that `reason` may have. */
export const errorCodesExtension = 'x-error-codes';

type DocumentedError = ReturnType<typeof json<typeof errorSchema>> & { [errorCodesExtension]: ErrorCode[] };

/**
 * The errors that an endpoint documents, by status, with the codes of each: those that any endpoint may answer with that status, and the
 * endpoint's own, which are named as well. Always among them are 429, 500, 503, and 400, which a query that is not UTF-8 is answered with.
 */
export function errorResponses<const Status extends ErrorStatus>(...errors: (Status | ErrorCode)[]) {
  const statuses = [400 as const, ...errors.filter((error) => typeof error === 'number'), 429 as const, 500 as const, 503 as const];
  const own = errors.filter((error) => typeof error === 'string');
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorResponse([...generalCodes[status], ...own.filter((code) => errorCatalogue[code].status === status)], meanings[status]),
    ]),
  ) as Record<Status | 400 | 429 | 500 | 503, DocumentedError>;
}

/** Documents the answer with some error codes, each with its meaning in the error catalogue. */
export function errorResponse(codes: ErrorCode[], meaning: string): DocumentedError {
  const list = codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`).join('\n');
  return { ...json(errorSchema, `${meaning}\n\n${list}`), [errorCodesExtension]: codes };
}

/** Codes that any endpoint which documents their status may answer. */
const generalCodes: Record<ErrorStatus, ErrorCode[]> = {
  400: ['invalid_request'],
  401: ['not_authenticated'],
  403: ['not_allowed'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  406: ['not_acceptable'],
  408: ['request_timeout'],
  409: [],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  417: ['expectation_failed'],
  422: ['idempotency_key_reused'],
  429: ['rate_limited'],
  431: ['request_head_too_large'],
  500: ['internal_error'],
  501: ['not_implemented'],
  503: ['service_unavailable'],
};

/** Codes that nearly every endpoint may answer, and that say nothing about what it does. */
export const sharedErrorCodes: ReadonlySet<string> = new Set(
  ([401, 406, 413, 415, 422, 429, 500, 503] as const).flatMap((status) => generalCodes[status]),
);

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is not valid.',
  401: 'The bearer token is missing or not valid.',
  403: 'The caller may not do this.',
  404: 'There is no such endpoint or item.',
  405: 'The endpoint does not have this method.',
  406: 'The request asks for another version than 2.',
  408: 'The request did not arrive in time.',
  409: 'The request contradicts what exists.',
  413: 'The body is too large.',
  415: 'The body has another media type, or a content coding.',
  417: 'The expectation of the request is not met.',
  422: 'The idempotency key was used for another request.',
  429: 'Too many requests. The header `Retry-After` says after how many seconds to try again.',
  431: 'The headers are too large.',
  500: 'The service failed. Its operator finds the cause by the header `X-Correlation-Id` of the answer.',
  501: 'No endpoint has this method or transfer coding.',
  503: 'A part of the service is out of reach. The header `Retry-After` says after how many seconds to try again.',
};

/** Documents an endpoint that needs a bearer token, under a heading of the API documentation. */
export function bearerAccess(heading: string) {
  return { tags: [heading], security: [{ bearer: [] }] };
}

/** Documents an endpoint that is for anyone, under a heading of the API documentation. */
export function openAccess(heading: string) {
  return { tags: [heading], security: [] };
}

/** A JSON body in which null in an optional field is as if the field were left out, at any depth (docs/api.md, Requests and answers). */
function nullIsLeftOut<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(withoutNulls, schema);
}

function withoutNulls(body: unknown): unknown {
  // Not by recursion: a body may be nested more deeply than the stack is.
  const open = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== 'object') continue;
    const fields = value as Record<string, unknown>;
    if (!Array.isArray(value)) for (const [name, field] of Object.entries(fields)) if (field === null) delete fields[name];
    for (const field of Object.values(fields)) if (field !== undefined) open.push(field);
  }
  return body;
}
