import { z } from '@hono/zod-openapi';

/**
 * A query. A parameter without a value is as if it were left out: clients write null so there. Of one that is repeated the first value counts, unless it
 * is a list (docs/api.md, Requests and answers).
 */
export function query<Schema extends z.ZodObject>(schema: Schema): Schema {
  const valueOf = (name: string, sent: unknown): unknown => {
    const values = [sent].flat().filter((value) => value !== '');
    const field = schema.shape[name];
    return field !== undefined && isList(field) && values.length > 0 ? values : values[0];
  };
  const read = (sent: unknown): unknown =>
    Object.fromEntries(Object.entries(sent as Record<string, unknown>).map(([name, value]) => [name, valueOf(name, value)]));
  // The types of routes know no preprocessing in a query, their document does.
  return z.preprocess(read, schema) as z.ZodType as Schema;
}

function isList(field: unknown): boolean {
  return field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodArray;
}
