/** The parts of a schema of OpenAPI 3.1 that matter here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Says of every optional field in the JSON bodies of requests that it may be null, which is as if it were left out. */
export function addNulls(bodies: readonly Schema[], components: Record<string, Schema>): void {
  const seen = new Set<Schema>();
  const open = bodies.slice();
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (seen.has(schema)) continue;
    seen.add(schema);
    const { $ref, properties = {}, required = [], items, anyOf = [], oneOf = [], allOf = [] } = schema;
    for (const part of [...Object.values(properties), items, ...anyOf, ...oneOf, ...allOf]) if (part !== undefined) open.push(part);
    if ($ref !== undefined) open.push(components[$ref.split('/').at(-1) ?? ''] ?? {});
    for (const [name, field] of Object.entries(properties)) if (!required.includes(name)) properties[name] = orNull(field);
  }
}

function orNull(field: Schema): Schema {
  const { type, anyOf } = field;
  if (anyOf !== undefined) return { ...field, anyOf: [...anyOf, { type: 'null' }] };
  if (type === undefined) return { anyOf: [field, { type: 'null' }] };
  return { ...field, type: [type, 'null'].flat(), ...(field.enum && { enum: [...field.enum, null] }) };
}
