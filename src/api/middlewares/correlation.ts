import { randomUUID } from 'node:crypto';
import type { Middleware } from '../api.ts';

const header = 'X-Correlation-Id';

/** Ids that are safe in a log line and a header. Any other is replaced, so that no client writes into the log. */
const safeId = /^[A-Za-z0-9._:-]{1,128}$/;

/** Every response carries `X-Correlation-Id`: the request's own if it is safe, otherwise a new one (docs/api.md, Correlation ids). */
export const correlation: Middleware = async (context, next) => {
  const requested = context.req.header(header);
  const correlationId = requested !== undefined && safeId.test(requested) ? requested : randomUUID();
  context.set('correlationId', correlationId);
  context.header(header, correlationId);
  await next();
};
