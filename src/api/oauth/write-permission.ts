import type { Middleware } from '../api.ts';
import { challengeBearer, notAllowed } from '../http/errors.ts';

/** Requires the write permission for changes by an application that acts for a user (docs/api.md, Permissions). Throws `not_allowed`. */
export const writePermission: Middleware = async (context, next) => {
  const { method } = context.req;
  const granted = context.var.caller.authorization?.permissions;
  if (granted && !granted.includes('write') && method !== 'GET' && method !== 'HEAD') {
    challengeBearer(context, 'insufficient_scope');
    throw notAllowed('The user granted this application read access only');
  }
  await next();
};
