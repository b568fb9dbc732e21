import { StopError } from '../../platform/errors.ts';
import { utf8Problem } from '../../platform/http/utf8.ts';
import type { Middleware } from '../api.ts';
import { invalid, unsupportedType } from '../http/errors.ts';
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

/**
 * Answers 415 to a body in a content coding such as gzip, and 501 to a transfer coding other than chunked, of which Node undoes neither
 * (RFC 9110, section 15.5.16; RFC 9112, section 6.1). Throws `unsupported_media_type` and `not_implemented`.
 */
export const codings: Middleware = async (context, next) => {
  const { method } = context.req;
  if (method === 'GET' || method === 'HEAD') return next();
  const transfer = context.req.header('Transfer-Encoding') ?? 'chunked';
  if (transfer.trim().toLowerCase() !== 'chunked')
    throw new StopError({ code: 'not_implemented', message: 'No transfer coding but chunked is understood' });
  const content = context.req.header('Content-Encoding') ?? 'identity';
  if (content.trim().toLowerCase() !== 'identity') {
    context.header('Accept-Encoding', 'identity');
    throw unsupportedType({ 'Content-Encoding': 'must be identity, or left out: no coding is understood' });
  }
  return next();
};

const vendorJson = /^application\/vnd\.[\w.-]+\+json\s*(;|$)/i;

/**
 * Treats the version's media type as JSON: clients may send it as `Content-Type` too, and the framework knows only vendor types
 * without digits.
 */
export const jsonContentType: Middleware = async (context, next) => {
  const type = context.req.header('Content-Type');
  if (type !== undefined && vendorJson.test(type)) context.req.raw.headers.set('Content-Type', 'application/json');
  await next();
};
