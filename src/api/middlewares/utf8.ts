import { utf8Problem } from '../../platform/http/utf8.ts';
import type { Middleware } from '../api.ts';
import { invalid } from '../http/errors.ts';
import { readQuery } from '../http/form.ts';

/** The media types that the framework parses as JSON. */
const jsonType = /^application\/([\w.-]+\+)?json/i;

/**
 * Answers 400 to JSON (RFC 8259, section 8.1) and to a query that are not UTF-8: the framework would put U+FFFD for what it cannot decode, and a bank would
 * get a name that nobody has. Throws `invalid_request`.
 */
export const utf8: Middleware = async (context, next) => {
  readQuery(context.req.url);
  if (jsonType.test(context.req.header('Content-Type') ?? '')) {
    const problem = utf8Problem(await context.req.arrayBuffer());
    if (problem !== undefined) throw invalid({ body: problem });
  }
  await next();
};
