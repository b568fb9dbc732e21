import { randomUUID } from 'node:crypto';
import type { Middleware } from '../api.ts';

const header = 'X-Correlation-Id';

/** Ids that are safe in a log line and a header: anything else is replaced, so that no client writes into our logs. */
const sane = /^[A-Za-z0-9._:-]{1,128}$/;

/** Every response carries `X-Correlation-Id`: the request's own, when it is sane, or a new one (docs/api.md, Correlation ids). */
export const correlation: Middleware = async (context, next) => {
  const given = context.req.header(header);
  const correlationId = given !== undefined && sane.test(given) ? given : randomUUID();
  context.set('correlationId', correlationId);
  context.header(header, correlationId);
  await next();
};
