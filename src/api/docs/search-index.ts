import type { Guide } from './guides.ts';
import { guideSections } from './guides.ts';
import type { ApiDocument } from './openapi.ts';
import { listChapters } from './reference.ts';
import type { Route } from './call-samples.ts';
import { fieldsOf, resolve, type Schemas } from './fields.ts';
import type { Schema } from './left-out-fields.ts';

/** A place in the documentation that a search may lead to; `text` is searched and not shown. */
export interface SearchEntry {
  title: string;
  /** What stands beside the title: the route of an operation, or the title of a guide. */
  context: string;
  /** Relative to the folder of the service. */
  href: string;
  text: string;
}

/** Everything that can be found in the guides and the reference, in the order in which it is shown. */
export function searchIndex(document: ApiDocument, guides: readonly Guide[]): SearchEntry[] {
  const sections = guides.flatMap(({ name, title }) =>
    guideSections(name).map(({ heading, id, text }) => ({ title: heading, context: title, href: `docs/guides/${name}#${id}`, text })),
  );
  const { schemas } = document.components;
  const chapters = listChapters(document).flatMap(({ name, id, description, routes }) =>
    [{ title: name, context: 'Reference', href: `docs#${id}`, text: description }].concat(
      routes.map((route) => operationEntry(route, schemas)),
    ),
  );
  return [...sections, ...chapters];
}

function operationEntry({ method, path, operation }: Route, schemas: Schemas): SearchEntry {
  const { operationId, summary, description = '', parameters = [], requestBody } = operation;
  const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldNames(schema, schemas));
  const words = [operationId, description, ...parameters.map(({ name }) => name), ...bodies];
  return { title: summary, context: `${method.toUpperCase()} ${path}`, href: `docs#${operationId}`, text: words.join(' ') };
}

function fieldNames(schema: Schema, schemas: Schemas): string[] {
  const whole = resolve(schema, schemas);
  const { oneOf = [], anyOf = [], items } = whole;
  const fields = fieldsOf(whole);
  const inner = [...fields.map((field) => field.schema), ...oneOf, ...anyOf, ...(items ? [items] : [])];
  return fields.map(({ name }) => name).concat(inner.flatMap((part) => fieldNames(part, schemas)));
}
