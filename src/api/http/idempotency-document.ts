import { z } from '@hono/zod-openapi';
import type { Api } from '../api.ts';
import { idempotencyHeader } from '../middlewares/idempotency.ts';
import { errorResponses } from './responses.ts';

const headers = z.object({
  [idempotencyHeader]: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      description:
        'A name of the client for this request, of printable ASCII: it then happens once. The same request again is given the same answer, ' +
        'with the header Idempotency-Replayed, for 24 hours; answers with 401, 403, 406, 429 and 5xx are not kept, and the request may be repeated.',
    }),
});

const { 409: conflict, 422: reused } = errorResponses(409, 422);

/** Documents `Idempotency-Key` on every POST behind a bearer token, once all of them are there. */
export function documentIdempotency(api: Api): void {
  for (const definition of api.openAPIRegistry.definitions) {
    if (definition.type !== 'route' || definition.route.method !== 'post' || definition.route.security === undefined) continue;
    const { route } = definition;
    definition.route = {
      ...route,
      request: { ...route.request, headers },
      responses: { ...route.responses, 409: conflict, 422: reused },
    };
  }
}
