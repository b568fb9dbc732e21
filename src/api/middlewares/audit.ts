import { actAs } from '../../platform/acting.ts';
import type { Middleware } from '../api.ts';

/** Records the caller as the actor of what a request changes: the user who signed in, otherwise the application. */
export const audit: Middleware = async (context, next) => {
  const { caller, correlationId } = context.var;
  const actor =
    caller.authorization === undefined
      ? ({ kind: 'application', id: caller.application, correlationId } as const)
      : ({ kind: 'user', id: caller.user, application: caller.application, correlationId } as const);
  await actAs(actor, next);
};
