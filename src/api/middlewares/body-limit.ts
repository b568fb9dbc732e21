import { bodyLimit as streamLimit } from 'hono/body-limit';
import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Far above the largest JSON body that an endpoint takes: an order signed by a Safe with a hundred owners has some 15 kB. */
const maxBytes = 256 * 1024;

/** Of what anybody may send to the endpoints of tokens: a code, a token and credentials have some 2 kB. */
export const maxAnonymousBytes = 16 * 1024;

/** Uploads are streamed; their reader limits them. */
const uploads: ReadonlySet<string> = new Set(['/files', '/account/verification', '/authorize/verification']);

/** Answers 413 to a body above the limit, by its announced length or by counting. Throws `body_too_large`. */
export const bodyLimit: Middleware = async (context, next) => {
  const { method, path } = context.req;
  if (method === 'GET' || method === 'HEAD' || uploads.has(path)) return next();
  return (path.startsWith('/auth/') ? anonymousLimit : limit)(context, next);
};

const limit = createLimit(maxBytes);
const anonymousLimit = createLimit(maxAnonymousBytes);

function createLimit(maxSize: number): Middleware {
  const tooLarge = () => new StopError({ code: 'body_too_large', message: `The body is larger than ${maxSize / 1024} kB` });
  const countBody = streamLimit({
    maxSize,
    onError: () => {
      throw tooLarge();
    },
  });
  return async (context, next) => {
    const announced = context.req.header('Content-Length');
    // Node reads no more than the announced length of a body that is not chunked, so that is not counted.
    if (announced === undefined || context.req.header('Transfer-Encoding') !== undefined) return countBody(context, next);
    if (Number(announced) > maxSize) throw tooLarge();
    return next();
  };
}
