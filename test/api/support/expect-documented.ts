import type { z } from '@hono/zod-openapi';
import { expect } from 'vitest';
import type { Api } from '../../../src/api/api.ts';
import { errorCodesExtension } from '../../../src/api/http/responses.ts';

/** Expects a JSON answer to be described by the document: a known status of its path, and no field that the schema lacks. */
export function expectDocumented(api: Api, method: string, path: string, status: number, body: unknown): void {
  const pathname = path.split('?')[0] ?? '';
  const route = routesOf(api).find((known) => known.method === method.toLowerCase() && known.pattern.test(pathname));
  if (!route) return;
  const { schema, codes } = route.responses[status] ?? {};
  expect(schema, `${method} ${path} answered ${status}, which is not documented: ${JSON.stringify(body)}`).toBeDefined();
  // Zod leaves a field of this name out of a record, for safety.
  expect(schema?.parse(body), `${method} ${path}`).toEqual(
    JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === '__proto__' ? undefined : value)),
  );
  if (codes) expect(codes, `${method} ${path}: the codes that ${status} may have`).toContain((body as { reason: string }).reason);
}

interface Route {
  method: string;
  pattern: RegExp;
  /** By status: the schema of the body, and of an error the codes that it may have. */
  responses: Record<number, { schema?: z.ZodType | undefined; codes?: string[] | undefined }>;
}

const routes = new WeakMap<Api, Route[]>();

/** What the document says of each path. */
export function routesOf(api: Api): Route[] {
  const known = routes.get(api) ?? readRoutes(api);
  routes.set(api, known);
  return known;
}

function readRoutes(api: Api): Route[] {
  return api.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { method, path, responses } = definition.route;
    const entries = Object.entries(responses).map(([status, response]) => {
      const { content, [errorCodesExtension]: codes } = response as {
        content?: Record<string, { schema: z.ZodType }>;
        [errorCodesExtension]?: string[];
      };
      return [Number(status), { schema: content?.['application/json']?.schema, codes }] as const;
    });
    return [{ method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), responses: Object.fromEntries(entries) }];
  });
}
