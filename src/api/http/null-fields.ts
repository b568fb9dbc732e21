import { z } from '@hono/zod-openapi';

/** A JSON body in which null in an optional field is as if the field were left out, at any depth (docs/api.md, Requests and answers). */
export function nullIsLeftOut<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(withoutNulls, schema);
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
