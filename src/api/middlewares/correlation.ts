import { correlationHeader, correlationIdOf } from '../../platform/http/correlation-id.ts';
import type { Middleware } from '../api.ts';

/** Every response carries `X-Correlation-Id` (docs/api.md, Correlation ids). */
export const correlation: Middleware = async (context, next) => {
  const correlationId = correlationIdOf(context.req.header(correlationHeader));
  context.set('correlationId', correlationId);
  context.header(correlationHeader, correlationId);
  await next();
};
