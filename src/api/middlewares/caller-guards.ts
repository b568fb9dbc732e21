import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';
import { challengeBearer, notAllowed } from '../http/errors.ts';

/** Requires the write permission for changes (docs/api.md, Permissions). Throws `not_allowed`. */
export const writePermission: Middleware = async (context, next) => {
  const { method } = context.req;
  const { permissions, authorization } = context.var.caller;
  if (!permissions.includes('write') && method !== 'GET' && method !== 'HEAD') {
    challengeBearer(context, 'insufficient_scope');
    throw notAllowed(
      authorization === undefined ? 'This application is registered to read only' : 'The user granted this application read access only',
    );
  }
  await next();
};

/** Lets only whitelabel applications through, with the 403 of its own that partner endpoints have (docs/api.md, Errors). */
export const partnersOnly: Middleware = async (context, next) => {
  if (context.var.caller.kind !== 'whitelabel')
    throw new StopError({ code: 'partners_only', message: 'This endpoint is available to whitelabel partner applications only' });
  await next();
};

/** Lets applications through that act by their own credentials: whitelabel and private ones (docs/api.md, Applications). */
export const serversOnly: Middleware = async (context, next) => {
  if (context.var.caller.kind === 'authorization_code')
    throw new StopError({ code: 'servers_only', message: 'This endpoint is available to whitelabel and private applications only' });
  await next();
};
