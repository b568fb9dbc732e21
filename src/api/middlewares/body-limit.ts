import { bodyLimit as streamLimit } from 'hono/body-limit';
import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Far above the largest JSON body that an endpoint takes: an order signed by a Safe with a hundred owners has some 15 kB. */
const maxBytes = 256 * 1024;

/** Uploads are streamed and limited by what reads them. */
const uploads = '/files';

const counted = streamLimit({
  maxSize: maxBytes,
  onError: () => {
    throw tooLarge();
  },
});

/** Refuses a body above the limit with 413: by its announced length, or by counting when none is announced. */
export const bodyLimit: Middleware = async (context, next) => {
  const { method } = context.req;
  if (method === 'GET' || method === 'HEAD' || context.req.path === uploads) return next();
  const announced = context.req.header('Content-Length');
  // Announced and not chunked: node reads no more than that, so there is nothing to count.
  if (announced === undefined || context.req.header('Transfer-Encoding') !== undefined) return counted(context, next);
  if (Number(announced) > maxBytes) throw tooLarge();
  return next();
};

function tooLarge(): StopError {
  return new StopError({ code: 'body_too_large', message: `The body is larger than ${maxBytes / 1024} kB` });
}
