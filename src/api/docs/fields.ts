import { html } from 'hono/html';
import type { Html } from '../http/html.ts';
import type { Schema } from './left-out-fields.ts';
import { renderDescription } from './markdown.ts';

/** Schemas of the document by name. */
export type Schemas = Record<string, Schema>;

/** A field, or a parameter. */
interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  description?: string | undefined;
}

/** What a body consists of: its fields, or the forms that it may have. */
export function renderBody(schema: Schema, schemas: Schemas): Html {
  const whole = resolve(schema, schemas);
  const parts = renderParts(whole, schemas, true);
  return html`${renderDescription(whole.description)}${parts === undefined ? html`<p class="type">${typeOf(whole, schemas)}</p>` : parts}`;
}

/** A list of fields, each with its type, its limits and what is in it. */
export function renderFields(fields: readonly Field[], schemas: Schemas, isOpen = false): Html {
  return html`<ul class="fields">
    ${fields.map((field) => renderField(field, schemas, isOpen))}
  </ul>`;
}

function renderField({ name, schema, isRequired, description }: Field, schemas: Schemas, isOpen: boolean): Html {
  const whole = resolve(schema, schemas);
  const inner = resolve(whole.items ?? whole, schemas);
  const parts = renderParts(inner, schemas, false);
  const limits = limitsOf(inner);
  return html`<li>
    <p>
      <code>${name}</code>
      <span class="type">${typeOf(whole, schemas, !isRequired)}</span>${isRequired ? html` <span class="required">required</span>` : ''}
    </p>
    ${renderDescription(description ?? whole.description)}
    ${inner.enum === undefined ? '' : html`<p class="limits">${inner.enum.filter((value) => value !== null && value !== '').map((value) => html`<code>${value}</code> `)}</p>`}
    ${limits === '' ? '' : html`<p class="limits">${limits}</p>`}
    ${
      parts === undefined
        ? ''
        : html`<details ${isOpen ? 'open' : ''}>
            <summary>What is in <code>${name}</code></summary>
            ${parts}
          </details>`
    }
  </li>`;
}

/** The fields of an object, or its variants; undefined where there is nothing inside. */
function renderParts(schema: Schema, schemas: Schemas, isOpen: boolean): Html | undefined {
  const variants = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (variants.length > 0)
    return html`${variants.map((variant, index) => renderVariant(index === 0 ? 'Either' : 'Or', variant, schema, schemas))}`;
  const list = schema.items && resolve(schema.items, schemas);
  if (list) return renderParts(list, schemas, isOpen);
  const fields = fieldsOf(schema);
  return fields.length === 0 ? undefined : renderFields(fields, schemas, isOpen);
}

function renderVariant(word: string, variant: Schema, { discriminator }: Schema, schemas: Schemas): Html {
  const [value] = Object.entries(discriminator?.mapping ?? {}).find(([, target]) => target === variant.$ref) ?? [];
  const whole = resolve(variant, schemas);
  const title =
    value === undefined ? (variant.$ref?.split('/').at(-1) ?? typeOf(whole, schemas)) : `${discriminator?.propertyName}: ${value}`;
  return html`<details>
    <summary>${word} <code>${title}</code></summary>
    ${renderDescription(whole.description)}${renderParts(whole, schemas, false) ?? ''}
  </details>`;
}

/** The fields of an object. */
export function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

/** A schema with what its references say in the place of them. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref, allOf = [], anyOf, ...own } = schema;
  const options = anyOf?.filter(({ type }) => type !== 'null');
  // One option beside null is that option; several are left for the reader.
  const only = options?.length === 1 ? options : [];
  const referred = $ref === undefined ? [] : [schemas[$ref.split('/').at(-1) ?? ''] ?? {}];
  const parts = [...referred, ...allOf, ...only].map((part) => resolve(part, schemas));
  if (parts.length === 0) return { ...own, ...(options && { anyOf: options }) };
  const merged: Schema = Object.assign({}, ...parts, own, options !== undefined && only.length === 0 && { anyOf: options });
  const properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties) as Record<string, Schema>;
  return {
    ...merged,
    ...(Object.keys(properties).length > 0 && { properties }),
    required: [...parts.flatMap((part) => part.required ?? []), ...(own.required ?? [])],
  };
}

/** Null in an optional field of a request is as if it were left out, and is not named. */
function typeOf(schema: Schema, schemas: Schemas, isOptional = false): string {
  const { type, items, format, properties } = schema;
  if (items) return `list of ${typeOf(resolve(items, schemas), schemas, true)}`;
  const named = [type ?? (properties || schema.oneOf || schema.anyOf ? 'object' : 'any')].flat();
  const shown = isOptional ? named.filter((name) => name !== 'null') : named;
  return `${shown.join(' or ')}${format === undefined ? '' : ` (${format})`}`;
}

function limitsOf({ format, pattern, minLength, maxLength, minimum, maximum }: Schema): string {
  const limits = [between(minLength, maxLength, ' characters'), between(minimum, maximum), format === undefined ? pattern : undefined];
  return limits.filter((limit) => limit !== undefined).join(', ');
}

function between(low: number | undefined, high: number | undefined, unit = ''): string | undefined {
  if (high === undefined) return low === undefined ? undefined : `at least ${low}${unit}`;
  return `${low === undefined ? 'at most' : `${low} to`} ${high}${unit}`;
}
