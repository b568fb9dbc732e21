import { z } from '@hono/zod-openapi';
import type { Api } from '../api.ts';
import { idempotencyHeader } from './idempotency.ts';
import { errorResponses } from '../http/responses.ts';

const headers = z.object({
  [idempotencyHeader]: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      description:
        'A key that the client chooses for this request, of printable ASCII. The request is then carried out once: for 24 hours the same request ' +
        'gets the same answer, with the header Idempotency-Replayed. Answers with 401, 403, 406, 429 and 5xx are not kept; repeat the request.',
    }),
});

const { 409: conflict, 422: reused } = errorResponses(409, 422);

/** Documents the header `Idempotency-Key` on every POST that needs a bearer token. Call it after all routes are added. */
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
