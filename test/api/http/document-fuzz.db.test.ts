import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { createTestMaker, swapEnv } from '../swap/swap-maker.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { anyText } from '../../support/any-text.ts';

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
  /** Of its body, when it has one. */
  type: string;
  schema: Schema | undefined;
  /** The names that its query knows. */
  query: string[];
}

interface Documented {
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  parameters?: { name: string; in: string }[];
}

interface Document {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, Schema> };
}

/** `npm run fuzz` tries more. */
const isWhole = process.env['FUZZ_REQUESTS'] !== undefined;

const api = forWholeFile(() => createTestApi({ swap: createTestMaker(), env: swapEnv }));
let callers: Partner[];
let document: Document;
let operations: Operation[];

beforeAll(async () => {
  callers = [await api.partner(), await api.partner('whitelabel')];
  document = (await api.send('GET', '/openapi.json')).json;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => {
      const [type = '', { schema } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      return { method: method.toUpperCase(), path, type, schema, query };
    }),
  );
});

/** What breaks parsers and databases, in the place of anything. */
const wrong = fc.oneof(
  fc.jsonValue(),
  anyText(),
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

const nobodys = '00000000-0000-4000-8000-000000000000';

/** Sends it as each caller in turn, and expects an answer that the document describes, below 500 and without a stack trace. */
async function expectSound(method: string, path: string, body?: { type: string; text: string }): Promise<void> {
  turn += 1;
  const { headers } = callers[turn % callers.length] as Partner;
  const response = await api.send(
    method,
    path,
    body ? { headers: { ...headers, 'Content-Type': body.type }, body: body.text } : { headers },
  );
  expect(response.status, `${method} ${path}`).toBeLessThan(500);
  expect(response.text).not.toMatch(/\bat .*\.ts:\d+/);
}
let turn = 0;

function encode(type: string, value: unknown): string {
  if (type === 'application/json') return JSON.stringify(value) ?? '';
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [['', value]];
  const form = new URLSearchParams();
  for (const [name, text] of fields) form.append(String(name), typeof text === 'string' ? text : JSON.stringify(text));
  return form.toString();
}

describe('the request bodies of the OpenAPI document', () => {
  it('are those of every endpoint that writes', () => {
    const withBody = operations.filter(({ schema }) => schema);
    expect(withBody.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['POST /addresses', 'POST /ibans', 'POST /orders', 'POST /profiles', 'PATCH /profiles/{profile}/details']),
    );
    expect(withBody.length).toBeGreaterThan(10);
  });

  it('filled with what fits and what does not, are answered as documented and never by 500', async () => {
    const profile = (await callers[1]?.post('/profiles', { kind: 'personal' }))?.json as { id: string };
    for (const { method, path, type, schema } of operations) {
      if (!schema) continue;
      const target = path.replace('{profile}', profile.id).replaceAll(/\{\w+\}/g, nobodys);
      await fc.assert(
        fc.asyncProperty(valuesOf(schema), (body) => expectSound(method, target, { type, text: encode(type, body) })),
        { numRuns: isWhole ? 400 : 10 },
      );
    }
  });
});

it('paths and queries, filled with what breaks parsers and databases, are never answered by 500', async () => {
  const raw = fc.constantFrom('%00', '%', '%E0%A4%A', '%ff', '%2F', 'a&a=b', '1&memo=2');
  const encoded = wrong
    .map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
    .filter((text) => text.isWellFormed())
    .map(encodeURIComponent);
  for (const { method, path, query } of operations) {
    const names = fc.subarray(query, { minLength: Math.min(1, query.length), maxLength: Math.min(4, query.length) });
    if (query.length === 0 && !path.includes('{')) continue;
    await fc.assert(
      fc.asyncProperty(fc.oneof(encoded, raw), names, (value, named) =>
        expectSound(method, `${path.replaceAll(/\{\w+\}/g, () => value || nobodys)}?${named.map((name) => `${name}=${value}`).join('&')}`),
      ),
      { numRuns: isWhole ? 400 : 5 },
    );
  }
});

it('parameters that no endpoint knows and that are not UTF-8, are answered as documented by every one', async () => {
  for (const { method, path } of operations)
    for (const name of ['page', '__proto__']) {
      const target = `${path.replaceAll(/\{\w+\}/g, nobodys)}?${name}=%ED%A0%80`;
      const { status } = await api.send(method, target, { headers: (callers[1] as Partner).headers });
      expect(status, `${method} ${target}`).toBeLessThan(500);
    }
});
