import type { Middleware } from '../api.ts';
import { notAllowed } from '../http/errors.ts';

/** Lets an application change only what its users let it write (docs/api.md, Permissions). */
export const writePermission: Middleware = async (context, next) => {
  const { method } = context.req;
  const granted = context.var.caller.authorization?.permissions;
  if (granted && !granted.includes('write') && method !== 'GET' && method !== 'HEAD')
    throw notAllowed('The user lets this application read only');
  await next();
};
