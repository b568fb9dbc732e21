import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Lets applications through that act by their own credentials: whitelabel and private ones (docs/api.md, Applications). */
export const serversOnly: Middleware = async (context, next) => {
  if (context.var.caller.kind === 'authorization_code')
    throw new StopError({ code: 'servers_only', message: 'This endpoint is available to whitelabel and private applications only' });
  await next();
};
