import { raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { Marked } from 'marked';

const markdown = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } });

/** A description of the API's document as HTML. Markup in it is text. */
export function renderDescription(text = ''): HtmlEscapedString {
  return raw(markdown.parse(text, { async: false }));
}

/** Text for HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
