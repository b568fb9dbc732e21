import { z } from '@hono/zod-openapi';
import type { Api } from '../api.ts';
import { idempotencyHeader } from './idempotency.ts';
import { errorCodesExtension, errorResponse, errorResponses } from '../http/responses.ts';

const headers = z.object({
  [idempotencyHeader]: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      description:
        'A key that the client chooses for this request: 1 to 255 printable ASCII characters. The request is then carried out once: for 24 hours the ' +
        'same request gets the same answer, with the header `Idempotency-Replayed: true`. Answers with 401, 403, 406, 429 and 5xx are not kept: ' +
        'repeat the request with the same key.',
      example: '5f0c2a6e-1f0d-4c64-9c1c-0c9b7a1f6a10',
    }),
});

const { 422: reused } = errorResponses(422);

/** Documents the header `Idempotency-Key` on every POST that needs a bearer token. Call it after all routes are added. */
export function documentIdempotency(api: Api): void {
  for (const definition of api.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { route } = definition;
    if (route.method !== 'post' || !route.security?.some((schemes) => 'bearer' in schemes)) continue;
    const own = route.responses[409] as Partial<ReturnType<typeof errorResponse>> | undefined;
    const conflict = errorResponse(
      [...(own?.[errorCodesExtension] ?? []), 'request_in_progress'],
      'The request contradicts what exists, or the same request is being answered already: `Retry-After` says when to try again.',
    );
    definition.route = { ...route, request: { ...route.request, headers }, responses: { ...route.responses, 409: conflict, 422: reused } };
  }
}
