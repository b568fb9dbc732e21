import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';
import { unsupportedType } from '../http/errors.ts';

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
