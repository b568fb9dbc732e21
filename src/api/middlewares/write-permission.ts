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
