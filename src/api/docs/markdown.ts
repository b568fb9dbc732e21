import { raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { Marked } from 'marked';
import { escapeHtml } from './escape-html.ts';

const markdown = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } });

/** A description of the API's document as HTML. Markup in it is text. */
export function renderDescription(text = ''): HtmlEscapedString {
  return raw(markdown.parse(text, { async: false }));
}
