import type { HtmlEscapedString } from 'hono/utils/html';

/** Escaped HTML, ready to be sent. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;
