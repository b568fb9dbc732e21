import { createRoute, z } from '@hono/zod-openapi';
import { baseUrl } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { json, errorResponses, openAccess } from '../http/responses.ts';

const welcome = z
  .object({
    hello: z.string().openapi({ description: 'A greeting with the name of the service.' }),
    docs: z.url().openapi({ description: 'The documentation of this service.' }),
    twitter: z
      .url()
      .openapi({ description: 'Where people talk about this service; the service itself when the operator has named no such page.' }),
  })
  .openapi('Welcome', { description: 'Where a developer begins.' });

/** `GET /` (docs/api.md, Welcome). */
export const addStart: AddRoutes = (api, { settings }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/',
    ...openAccess('Service'),
    operationId: 'readWelcome',
    summary: 'Welcome',
    description: 'Names the service and its documentation. It needs no token, so it also shows that the base URL is right.',
    middleware: guards.anyone,
    responses: { 200: json(welcome, 'A greeting.'), ...errorResponses(406) },
  });
  const body = {
    hello: `Welcome to ${settings.serviceName}`,
    docs: `${baseUrl(settings)}/docs`,
    // The specification demands a URL. A page elsewhere may belong to anybody.
    twitter: baseUrl(settings),
  };
  api.openapi(route, (context) => context.json(body, 200));
};
