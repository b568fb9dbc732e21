import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { createWholeApi } from '../../../scripts/openapi-document.ts';
import type { Api } from '../../../src/api/api.ts';

interface Schema {
  type?: unknown;
  discriminator?: { propertyName: string };
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  prefixItems?: Schema[];
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; description?: string }[];
  requestBody?: { description?: string; content: Content };
  responses: Record<string, { description: string; headers?: Record<string, Schema>; content?: Content }>;
}

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { description?: string }> };
}

let api: Api;
let document: Document;
let operations: [name: string, operation: Operation][];
beforeAll(async () => {
  api = await createWholeApi();
  document = (await (await api.request('/openapi.json')).json()) as Document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
  );
});

it('has every method of a path: any other is 405, whoever asks', async () => {
  for (const [path, documented] of Object.entries(document.paths)) {
    const methods = Object.keys(documented).map((method) => method.toUpperCase());
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !methods.includes(other))) {
      const answer = await api.request(path.replaceAll(/\{\w+\}/g, 'x'), { method });
      expect([method, path, answer.status]).toEqual([method, path, 405]);
      expect(answer.headers.get('Allow')?.split(', '), path).toEqual(expect.arrayContaining(methods));
    }
  }
});

/** Whether a text begins and ends as a sentence does; code may stand at both ends. */
const isSentence = (text: string | undefined): boolean => text !== undefined && /^[\p{Lu}\d`<][^]*[.`)]$/u.test(text);

function isDescribed(schema: Schema): boolean {
  if (schema.description !== undefined) return isSentence(schema.description);
  if (schema.anyOf?.some(isDescribed) === true) return true;
  return schema.$ref !== undefined && isDescribed(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}

/** The properties below a schema, each by its path, that nothing describes. Referenced schemas are looked at by themselves. */
function* undescribed(schema: Schema, at: string): Generator<string> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!isDescribed(property)) yield `${at}.${name}`;
    yield* undescribed(property, `${at}.${name}`);
  }
  const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [], prefixItems = [] } = schema;
  for (const part of [items, additionalProperties, anyOf, oneOf, allOf, prefixItems].flat())
    if (typeof part === 'object') yield* undescribed(part, `${at}[]`);
}

function* undescribedContent(content: Content | undefined, at: string): Generator<string> {
  for (const { schema } of Object.values(content ?? {})) yield* undescribed(schema, at);
}

function* undescribedParts(name: string, { summary, description, parameters = [], requestBody, responses }: Operation): Generator<string> {
  if (summary === undefined || summary.length > 60 || summary.endsWith('.')) yield `${name}: summary`;
  if (!isSentence(description)) yield `${name}: description`;
  for (const parameter of parameters) if (!isSentence(parameter.description)) yield `${name}: parameter ${parameter.name}`;
  yield* undescribedContent(requestBody?.content, `${name}: body`);
  for (const [status, response] of Object.entries(responses)) {
    if (!isSentence(response.description)) yield `${name}: ${status}`;
    for (const [header, schema] of Object.entries(response.headers ?? {}))
      if (!isSentence(schema.description)) yield `${name}: ${status} ${header}`;
    yield* undescribedContent(response.content, `${name}: ${status}`);
  }
}

it('describes every schema and each of its properties', () => {
  const schemas = Object.entries(document.components.schemas);
  expect(schemas.filter(([, schema]) => !isSentence(schema.description)).map(([name]) => name)).toEqual([]);
  expect(schemas.flatMap(([name, schema]) => Array.from(undescribed(schema, name)))).toEqual([]);
});

it('describes every operation, with its parameters, bodies, answers and headers', () => {
  expect(operations.length).toBeGreaterThan(40);
  expect(operations.flatMap(([name, operation]) => Array.from(undescribedParts(name, operation)))).toEqual([]);
});

it('puts every operation under one of its headings, and describes headings and security schemes', () => {
  const headings = document.tags.map(({ name }) => name);
  for (const [name, { tags }] of operations)
    expect([name, headings.filter((heading) => tags?.includes(heading)).length]).toEqual([name, 1]);
  expect(headings.filter((heading) => !operations.some(([, { tags }]) => tags?.includes(heading)))).toEqual([]);
  expect(document.tags.filter(({ description }) => !isSentence(description))).toEqual([]);
  expect(Object.values(document.components.securitySchemes).filter(({ description }) => !isSentence(description))).toEqual([]);
});

it('documents at every operation that changes something, except uploads, that a body may be too large', () => {
  const without = operations.filter(
    ([name, { responses }]) => !name.startsWith('GET ') && name !== 'POST /files' && responses['413'] === undefined,
  );
  expect(without.map(([name]) => name)).toEqual([]);
});

it('takes an amount above zero with at most two decimals', () => {
  const { pattern = '' } = (document.components.schemas['OrderRequest']?.properties?.['amount'] ?? {}) as { pattern?: string };
  const texts = ['10', '010', '10.5', '10.50', '0.01', '0.10', '0.5', '00.05', '0', '0.0', '0.00', '1.', '.5', '1.005', '-1', ''];
  expect(texts.filter((text) => new RegExp(pattern).test(text))).toEqual(texts.slice(0, texts.indexOf('0')));
});

it('has no pattern with a flag, which would be a part of the pattern for who reads it', () => {
  expect(JSON.stringify(document).match(/"pattern":"[^"]*\/[dgimsuvy]+"/g)).toBeNull();
});

it('has a name for each operation, which no other has', () => {
  const names = operations.map(([, { operationId }]) => operationId);
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/);
  expect(new Set(names).size).toBe(names.length);
});

/** Every object within a value, under its path. */
function* objectsIn(value: unknown, path: string): Generator<[path: string, value: object]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${path}/${name}`);
}

it('has a name for each union and its members, of which generators make types, and says which field tells them apart', () => {
  const unions = [...objectsIn(document, '')].filter(([, { anyOf, oneOf = anyOf }]: [string, Schema]) => {
    return (oneOf ?? []).filter(({ type }) => type !== 'null').length > 1;
  }) as [string, Schema][];
  expect(unions.map(([path]) => path)).toEqual(
    ['Grant', 'ProfileDetails', 'ProfileForm', 'ProfileVerifications', 'CounterpartIdentifier', 'CounterpartRequest', 'PayeeAddress'].map(
      (name) => `/components/schemas/${name}`,
    ),
  );
  for (const [path, { anyOf = [], oneOf = anyOf, discriminator }] of unions) {
    const names = oneOf.map(({ $ref = '' }) => /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1] ?? '');
    expect(names, path).not.toContain('');
    // Either a value tells them apart, or which fields are required.
    const required = names.map((name) => document.components.schemas[name]?.required?.join());
    expect(discriminator !== undefined || new Set(required).size === names.length, path).toBe(true);
  }
});

it('bounds nothing in a request by a number that docs/api.md does not name under Limits', () => {
  const limits = /^### Limits\n(.*?)^## /ms.exec(readFileSync('docs/api.md', 'utf8'))?.[1]?.replaceAll(',', '') ?? '';
  const named = new Set(limits.match(/\d+/g));
  const bounds = operations
    .filter(([name]) => !name.includes('/sandbox/'))
    .flatMap(([name, { parameters, requestBody }]) =>
      [...objectsIn(parameters, ''), ...requestObjects(requestBody?.content ?? {})].flatMap(([path, value]) => {
        const { maxLength, maxItems, items } = value as { maxLength?: number; maxItems?: number; items?: { enum?: unknown[] } };
        // Each of a few values once is no bound.
        if (items?.enum?.length === maxItems && maxItems !== undefined) return [];
        return [maxLength, maxItems].filter((bound) => bound !== undefined).map((bound) => ({ where: `${name} ${path}`, bound }));
      }),
    );
  expect(bounds.length).toBeGreaterThan(20);
  expect(bounds.filter(({ bound }) => !named.has(String(bound)))).toEqual([]);
});

/** Every object within a body, and within the schemas that it refers to. */
function* requestObjects(content: Content): Generator<[path: string, value: object]> {
  const open: [string, unknown][] = [['', content]];
  const seen = new Set<string>();
  for (let part = open.pop(); part !== undefined; part = open.pop())
    for (const [path, value] of objectsIn(part[1], part[0])) {
      yield [path, value];
      const name = (value as Schema).$ref?.split('/').at(-1);
      if (name === undefined || seen.has(name)) continue;
      seen.add(name);
      open.push([name, document.components.schemas[name]]);
    }
}
