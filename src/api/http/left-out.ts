import { z } from '@hono/zod-openapi';

/** A JSON body in which null in an optional field is as if the field were left out, at any depth (docs/api.md, Requests and answers). */
export function nullIsLeftOut<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(withoutNulls, schema);
}

/** A query in which an empty parameter is as if it were left out: clients write null so there. */
export function emptyIsLeftOut<Schema extends z.ZodObject>(schema: Schema): Schema {
  // The types of routes know no preprocessing in a query, their document does.
  return z.preprocess(withoutEmpty, schema) as z.ZodType as Schema;
}

function withoutNulls(body: unknown): unknown {
  // Not by recursion: a body may be nested more deeply than the stack is.
  const open = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== 'object') continue;
    const fields = value as Record<string, unknown>;
    if (!Array.isArray(value)) for (const [name, field] of Object.entries(fields)) if (field === null) delete fields[name];
    for (const field of Object.values(fields)) if (field !== undefined) open.push(field);
  }
  return body;
}

function withoutEmpty(query: unknown): unknown {
  return Object.fromEntries(Object.entries(query as Record<string, unknown>).filter(([, value]) => value !== ''));
}
