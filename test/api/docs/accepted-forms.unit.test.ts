import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { createWholeApi } from '../../../scripts/openapi-document.ts';
import { readExamples } from '../../../src/api/docs/examples.ts';
import { company, corporateForm } from '../customers/profiles-data.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  allowEmptyValue?: boolean;
  schema: { type?: string; enum?: string[]; items?: { enum?: string[] } };
}

interface Document {
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: object }> } }>>;
}

/** An operation as the code reads it, and as the document describes it. */
interface Operation {
  name: string;
  query: z.ZodType | undefined;
  parameters: Parameter[];
  bodies: { type: string; read: z.ZodType; described: (value: unknown) => boolean; names: string[] }[];
}

const examples = readExamples();

let operations: Operation[];
let describes: (schema: object, value: unknown) => boolean;

beforeAll(async () => {
  const api = await createWholeApi();
  const document = (await (await api.request('/openapi.json')).json()) as Document;
  const ajv = new Ajv2020({ strict: false, formats });
  ajv.addSchema({ $id: 'document', ...document });
  describes = (schema, value) => ajv.validate(resolved(schema), value);
  operations = api.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { method, path, request } = definition.route;
    const { parameters = [], requestBody } = document.paths[path]?.[method] ?? {};
    const bodies = Object.entries(request?.body?.content ?? {}).map(([type, media]) => {
      const schema = requestBody?.content[type]?.schema ?? {};
      const validate = ajv.compile(resolved(schema));
      return {
        type,
        read: (media as { schema: z.ZodType }).schema,
        described: (value: unknown) => validate(value),
        names: fieldNames(document, schema),
      };
    });
    const query = parameters.filter((parameter) => parameter.in === 'query');
    return [{ name: `${method.toUpperCase()} ${path}`, query: request?.query, parameters: query, bodies }];
  });
});

/** The same schema, with references into the document. */
function resolved(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
}

/** The names of all fields below a schema. */
function fieldNames(document: Document, schema: object): string[] {
  const [names, seen] = [new Set<string>(), new Set<object>()];
  const open: object[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    const { $ref, properties } = part as { $ref?: string; properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    if ($ref !== undefined) open.push(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
    open.push(...Object.values(part).filter((value) => typeof value === 'object' && value !== null));
  }
  return [...names];
}

/** As strictly as validators take them that clients use. */
const formats: NonNullable<Options['formats']> = {
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  email: /^\S+@\S+\.\S+$/,
  uri: { validate: (text: string) => URL.canParse(text) },
  binary: /(?:)/,
};

/** What clients send in the place of something. */
const substitutes = [null, '', ' ', 'x', 5, true, {}, [], [null], 'https://user:password@example.com/'];

/** A value that differs from another in a single place, and the place with what stands there. */
type Variant = [where: string, value: unknown];

/** Every variant of a value; its objects may have any of the fields of that name. */
function* variants(value: unknown, names: string[], at = ''): Generator<Variant> {
  const texts = typeof value === 'string' ? [value.toLowerCase(), value.toUpperCase(), ` ${value}`, value.slice(0, 1), value + value] : [];
  const lists = Array.isArray(value) ? [[...(value as unknown[]), ...(value as unknown[])]] : [];
  for (const other of [...substitutes, ...texts, ...lists]) yield [`${at}=${JSON.stringify(other)}`, other];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const [where, other] of variants(item, names, `${at}.${index}`)) yield [where, value.with(index, other)];
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>;
    for (const name of new Set([...Object.keys(fields), ...names])) {
      const { [name]: field, ...rest } = fields;
      yield [`${at} without ${name}`, rest];
      for (const [where, other] of variants(field, names, `${at}.${name}`)) yield [where, { ...fields, [name]: other }];
    }
  }
}

/** Bodies of other shapes than those of the examples. */
const id = '8f2b6c90-14c7-4d0a-8e55-0d7a3f9b1c22';
const otherBodies: Record<string, (example: Record<string, unknown>) => Record<string, unknown>[]> = {
  'POST /orders': (example) => [
    { ...example, counterpart: { identifier: { standard: 'chain', address: `0x${'12'.repeat(20)}`, chain: 'gnosis' }, details: {} } },
  ],
  'PATCH /profiles/{profile}/details': (example) => [{ ...example, corporate: company }],
  'PATCH /profiles/{profile}/form': (example) => [{ ...example, corporate: corporateForm }],
  'PATCH /profiles/{profile}/verifications': (example) => [{ ...example, corporate: [{ kind: 'sourceOfFunds', fileId: id }] }],
  'POST /auth/token': () => [
    { grant_type: 'refresh_token', client_id: id, refresh_token: 'x' },
    { grant_type: 'authorization_code', client_id: id, code: 'x', code_verifier: 'x'.repeat(43), redirect_uri: 'https://shop.example/' },
  ],
};

it('describes every body that is accepted', () => {
  const undescribed = operations.flatMap(({ name, bodies }) => bodies.flatMap((body) => undescribedForms(name, body)));
  expect(undescribed).toEqual([]);
});

function undescribedForms(name: string, { type, read, described, names }: Operation['bodies'][number]): string[] {
  if (type === 'multipart/form-data') return [];
  const { body, form } = examples[name] ?? {};
  const example = (body ?? form) as Record<string, unknown>;
  const accepts = (value: unknown): boolean => {
    if (type === 'application/json') return read.safeParse(structuredClone(value)).success;
    return isTexts(value) && read.safeParse(withoutEmpty(value)).success;
  };
  return [example, ...(otherBodies[name]?.(example) ?? [])].flatMap((seed) => {
    expect(accepts(seed), `${name} ${JSON.stringify(seed)}`).toBe(true);
    return [['', seed] as Variant, ...variants(seed, names)]
      .filter(([, variant]) => accepts(variant) && !described(variant))
      .map(([where]) => `${name} ${where}`);
  });
}

/** A form has no other values. */
function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((field) => typeof field === 'string');
}

/** As the endpoints of OAuth read forms (RFC 6749, section 3.1). */
function withoutEmpty(form: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
}

/** What clients send as a parameter: of every kind there are some that are accepted. */
const someAddress = `0x${'a1'.repeat(20)}`;
const someHash = `0x${'A1'.repeat(32)}`;
const ids = [id, id.toUpperCase(), someAddress, someHash, 'IS14 0159 2600 7654 5510 7303 39', 'x'.repeat(43)];
const values = [...ids, 'x', '1', 'exact', 'gnosis', 'base sepolia', '2026-11-20T16:03Z', '2026-11-20T16:03:54+01:00'];

/** Every parameter of a query, with the values that it accepts, and how it reads values. */
function acceptedParameters() {
  return operations.flatMap(({ name, query, parameters }) => {
    if (query === undefined) return [];
    return parameters.map((parameter) => {
      const read = (sent: string | string[]) => query.safeParse({ ...examples[name]?.query, [parameter.name]: sent });
      const known = [parameter.schema.enum ?? [], parameter.schema.items?.enum ?? []].flat();
      return {
        parameter,
        where: `${name}?${parameter.name}`,
        read,
        accepted: [...values, ...known].filter((value) => read(value).success),
      };
    });
  });
}

it('describes every query that is accepted', () => {
  const parameters = acceptedParameters();
  expect(parameters.filter(({ accepted }) => accepted.length === 0).map(({ where }) => where)).toEqual([]);
  const undescribed = parameters.flatMap(({ parameter, where, read, accepted }) =>
    [...accepted, ...(read('').success ? [''] : [])].filter((value) => !isDescribed(parameter, value)).map((value) => `${where}=${value}`),
  );
  expect(undescribed).toEqual([]);
});

it('takes the first value of a parameter that is repeated, and all of a list, without those that are empty', () => {
  // Those of OAuth must not be repeated (RFC 6749, section 3.1), which their endpoint itself looks at.
  for (const { parameter, where, read, accepted } of acceptedParameters().filter((accepts) => !accepts.where.startsWith('GET /auth'))) {
    const [first = '', second = 'not valid'] = accepted;
    const isList = parameter.schema.type === 'array';
    expect(read(['', first, isList ? first : second]), where).toEqual(isList ? read([first, first]) : read(first));
    expect(read(['', '']), where).toEqual(read(''));
    if (isList) expect(read([first, 'not valid']).success, where).toBe(false);
  }
});

function isDescribed({ allowEmptyValue, schema }: Parameter, value: string): boolean {
  if (value === '' && allowEmptyValue === true) return true;
  if (schema.type === 'array') return describes(schema, [value]);
  return describes(schema, schema.type === 'integer' ? Number(value) : value);
}
