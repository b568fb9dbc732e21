import type { Schema } from '../../../src/api/docs/left-out-fields.ts';

/** What of the OpenAPI document says which fields and parameters a request may leave out. */
export interface Document {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, Schema> };
}

interface Documented {
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/**
 * The body of a request with null in every optional field that it leaves out, and its query with every parameter that it leaves out, empty.
 * The query of `GET /auth` stays: its answer, a redirect, repeats it.
 */
export function spelledOut(document: Document, operation: string, request: { body?: unknown; query?: Record<string, string> }) {
  const [method = '', path = ''] = operation.split(' ');
  const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
  const optional = parameters.filter((parameter) => parameter.in === 'query' && parameter.required !== true);
  const schema = requestBody?.content['application/json']?.schema;
  return {
    query:
      operation === 'GET /auth'
        ? (request.query ?? {})
        : { ...Object.fromEntries(optional.map(({ name }) => [name, ''])), ...request.query },
    body: schema === undefined ? request.body : withNulls(document, schema, request.body),
  };
}

function withNulls(document: Document, schema: Schema, value: unknown): unknown {
  if (schema.$ref !== undefined) return withNulls(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, value);
  const alternatives = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (alternatives?.length === 1) return withNulls(document, alternatives[0] as Schema, value);
  if (Array.isArray(value)) return value.map((item) => withNulls(document, schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  const properties = Object.entries(schema.properties ?? {});
  const leftOut = properties.filter(([name, field]) => fields[name] === undefined && acceptsNull(field)).map(([name]) => [name, null]);
  const given = properties.filter(([name]) => fields[name] !== undefined);
  return {
    ...fields,
    ...Object.fromEntries(leftOut),
    ...Object.fromEntries(given.map(([name, field]) => [name, withNulls(document, field, fields[name])])),
  };
}

function acceptsNull({ type, anyOf = [] }: Schema): boolean {
  return [type].flat().includes('null') || anyOf.some(acceptsNull);
}
