import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type Partner, type TestApi } from '../support/test-api.ts';
import { createTestMaker, swapEnv } from '../swap/swap-maker.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  format?: string;
}

interface Operation {
  method: string;
  path: string;
  schema: Schema;
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content?: Record<string, { schema?: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

let api: TestApi;
let callers: Partner[];
let document: Document;
let operations: Operation[];

beforeAll(async () => {
  api = await createTestApi({ swap: createTestMaker(), env: swapEnv });
  callers = [await api.partner(), await api.partner('whitelabel')];
  document = (await api.send('GET', '/openapi.json')).json;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content?.['application/json']?.schema;
      return schema ? [{ method: method.toUpperCase(), path, schema }] : [];
    }),
  );
});
afterAll(() => api.close());

/** What breaks parsers and databases, in the place of anything. */
const wrong = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(null, '', '\0', '\ud800', '9'.repeat(400), -1, 1e308, '__proto__', [], {}, '0x', ' '),
);

/** Values that have the shape of a schema, with here and there something else in the place of one. */
function valuesOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: shapeOf(schema, depth) }, { weight: 1, arbitrary: wrong });
}

function shapeOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth > 8) return fc.constant(null);
  if (schema.$ref) return shapeOf(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema, depth + 1);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return fc.oneof(...either.map((one) => valuesOf(one, depth + 1)));
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map((one) => shapeOf(one, depth + 1))).map((parts) => Object.assign({}, ...parts) as unknown);
  const [type] = [schema.type ?? 'object'].flat();
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, valuesOf(field, depth + 1)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }
  if (type === 'array') return fc.array(valuesOf(schema.items ?? {}, depth + 1), { maxLength: 3 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'number' || type === 'integer') return fc.oneof(fc.integer(), fc.double());
  return fc.oneof(fc.string(), fc.uuid(), fc.constantFrom('IS', 'eur', 'chiado', '10.50', '2000-02-29', 'IS140159260076545510730339'));
}

describe('the request bodies of the OpenAPI document', () => {
  it('are those of every endpoint that writes', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['POST /addresses', 'POST /ibans', 'POST /orders', 'POST /profiles', 'PATCH /profiles/{profile}/details']),
    );
    expect(operations.length).toBeGreaterThan(10);
  });

  it('filled with what fits and what does not, are answered as documented and never by 500', async () => {
    const profile = (await callers[1]?.post('/profiles', { kind: 'personal' }))?.json as { id: string };
    for (const { method, path, schema } of operations) {
      const target = path.replace('{profile}', profile.id).replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
      await fc.assert(
        fc.asyncProperty(valuesOf(schema), fc.constantFrom(...callers), async (body, caller) => {
          const headers = { ...caller.headers, 'Content-Type': 'application/json' };
          const response = await api.send(method, target, { headers, body: JSON.stringify(body) });
          expect(response.status, `${method} ${target}`).toBeLessThan(500);
          expect(response.text).not.toMatch(/\bat .*\.ts:\d+/);
        }),
        { numRuns: 40 },
      );
    }
  });
});
