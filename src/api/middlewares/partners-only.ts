import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Lets only whitelabel applications through, with the 403 of its own that partner endpoints have (docs/api.md, Errors). */
export const partnersOnly: Middleware = async (context, next) => {
  if (context.var.caller.kind !== 'whitelabel')
    throw new StopError({ code: 'partners_only', message: 'This endpoint is available to whitelabel partner applications only' });
  await next();
};
