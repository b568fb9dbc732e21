import { bodyLimit as streamLimit } from 'hono/body-limit';
import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Far above the largest JSON body that an endpoint takes: an order signed by a Safe with a hundred owners has some 15 kB. */
const maxBytes = 256 * 1024;

/** Uploads are streamed; their reader limits them. */
const uploads: ReadonlySet<string> = new Set(['/files', '/account/verification', '/authorize/verification']);

const countBody = streamLimit({
  maxSize: maxBytes,
  onError: () => {
    throw tooLarge();
  },
});

/** Answers 413 to a body above the limit, by its announced length or by counting. Throws `body_too_large`. */
export const bodyLimit: Middleware = async (context, next) => {
  const { method } = context.req;
  if (method === 'GET' || method === 'HEAD' || uploads.has(context.req.path)) return next();
  const announced = context.req.header('Content-Length');
  // Node reads no more than the announced length of a body that is not chunked, so that is not counted.
  if (announced === undefined || context.req.header('Transfer-Encoding') !== undefined) return countBody(context, next);
  if (Number(announced) > maxBytes) throw tooLarge();
  return next();
};

function tooLarge(): StopError {
  return new StopError({ code: 'body_too_large', message: `The body is larger than ${maxBytes / 1024} kB` });
}
