import { beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../../scripts/openapi-document.ts';
import { callSamples, type Route } from '../../../src/api/docs/call-samples.ts';
import { listGuides } from '../../../src/api/docs/guides.ts';
import type { ApiDocument, Operation } from '../../../src/api/docs/openapi.ts';
import { listChapters, renderReference } from '../../../src/api/docs/reference.ts';
import { searchIndex } from '../../../src/api/docs/search-index.ts';

let document: ApiDocument;
let shown: string;
beforeAll(async () => {
  document = (await readDocument()) as ApiDocument;
  shown = String(await renderReference(document, true));
});

/** A document with one operation. */
async function render(operation: Partial<Operation>): Promise<string> {
  const defaults = { operationId: 'sendIt', summary: 'Send it', tags: ['Things'], security: [], responses: {} };
  const paths = { '/things': { post: { ...defaults, ...operation } } };
  return String(await renderReference({ ...document, tags: [{ name: 'Things', description: '' }], paths }, false));
}

describe('the reference', () => {
  it('shows every operation of the document once', () => {
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.filter((id) => shown.split(` id="${id}"`).length !== 2)).toEqual([]);
  });

  it('shows what is in a field, through references, variants and lists', () => {
    const [, placing = ''] = shown.split('id="placeOrder"');
    const body = placing.slice(0, placing.indexOf('<h4>Answers</h4>'));
    for (const part of ['What is in <code>counterpart</code>', 'Either <code>BankCounterpart</code>', 'Or <code>', '<code>lastName</code>'])
      expect(body).toContain(part);
  });

  it('shows markup of a description, of a field and of an example as text', async () => {
    const markup = '<img src=x onerror=alert(1)>';
    const schema = {
      type: 'object',
      description: markup,
      properties: { [markup]: { type: 'string', description: markup, enum: [markup] } },
    };
    const content = { 'application/json': { schema, example: { text: markup } } };
    const responses = { 200: { description: markup, content } };
    expect(await render({ summary: markup, description: markup, requestBody: { content }, responses })).not.toContain('<img');
  });
});

/** An operation with a body. */
function route(example: unknown): Route {
  const content = { 'application/json': { schema: {}, example } };
  const responses = { 200: { description: '', content } };
  const operation = { operationId: 'sendIt', summary: '', tags: [], security: [], requestBody: { content }, responses };
  return { method: 'post', path: '/things', operation };
}

describe('the samples of a call', () => {
  it('quote what a shell or TypeScript would read otherwise', () => {
    const { client, curl } = callSamples(route({ 'a-b': `it's $(here) \\` }), 'http://localhost');
    expect(client).toContain(String.raw`{ 'a-b': 'it\'s $(here) \\' }`);
    expect(curl).toContain(String.raw`it'\''s $(here) \\`);
  });
});

describe('the search', () => {
  it('leads to every operation, chapter and section of a guide, each of which is there', () => {
    const entries = searchIndex(document, listGuides());
    const fragments = entries.filter(({ href }) => href.startsWith('docs#')).map(({ href }) => href.slice('docs#'.length));
    expect(fragments.filter((id) => !shown.includes(` id="${id}"`))).toEqual([]);
    expect(fragments.length).toBe(listChapters(document).reduce((sum, { routes }) => sum + 1 + routes.length, 0));
    expect(entries.length).toBeGreaterThan(fragments.length + listGuides().length);
    const placing = entries.find(({ href }) => href === 'docs#placeOrder');
    expect(placing?.text).toMatch(/placeOrder.*sends money/i);
  });
});
