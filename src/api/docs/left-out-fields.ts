// What a request may write in the place of something that it leaves out (docs/api.md, Requests and answers).

/** The parts of a schema of OpenAPI 3.1 that matter here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}

/** A parameter of an operation. */
export interface Parameter {
  in: string;
  required?: boolean;
  allowEmptyValue?: boolean;
}

/** Says of every optional field in the JSON bodies of requests that it may be null. */
export function addNulls(bodies: readonly Schema[], components: Record<string, Schema>): void {
  changeOptionalFields(bodies, components, orNull);
}

/** Says of every optional field in forms that it may be empty. */
export function addEmptyFields(forms: readonly Schema[], components: Record<string, Schema>): void {
  changeOptionalFields(forms, components, orEmpty);
}

/** Says of every optional parameter in queries that it may be empty. */
export function addEmptyParameters(parameters: readonly Parameter[]): void {
  for (const parameter of parameters) if (parameter.in === 'query' && parameter.required !== true) parameter.allowEmptyValue = true;
}

function changeOptionalFields(bodies: readonly Schema[], components: Record<string, Schema>, change: (field: Schema) => Schema): void {
  const seen = new Set<Schema>();
  const open = bodies.slice();
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (seen.has(schema)) continue;
    seen.add(schema);
    const { $ref, properties = {}, required = [], items, anyOf = [], oneOf = [], allOf = [] } = schema;
    for (const part of [...Object.values(properties), items, ...anyOf, ...oneOf, ...allOf]) if (part !== undefined) open.push(part);
    if ($ref !== undefined) open.push(components[$ref.split('/').at(-1) ?? ''] ?? {});
    for (const [name, field] of Object.entries(properties)) if (!required.includes(name)) properties[name] = change(field);
  }
}

function orNull({ default: byDefault, ...documented }: Schema): Schema {
  // Generators take a field with a default for one that is always there, so that only its description says it.
  const description =
    typeof byDefault === 'string' ? `${documented.description ?? ''} By default \`${byDefault}\`.` : documented.description;
  const field = { ...documented, ...(description !== undefined && { description }) };
  const { type, anyOf } = field;
  if (anyOf !== undefined) return { ...field, anyOf: [...anyOf, { type: 'null' }] };
  if (type === undefined) return { anyOf: [field, { type: 'null' }] };
  return { ...field, type: [type, 'null'].flat(), ...(field.enum && { enum: [...field.enum, null] }) };
}

function orEmpty({ pattern, format: _format, minLength: _minLength, ...field }: Schema): Schema {
  return { ...field, ...(field.enum && { enum: [...field.enum, ''] }), ...(pattern !== undefined && { pattern: `^(?:${pattern})?$` }) };
}
