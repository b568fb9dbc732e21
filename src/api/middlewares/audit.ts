import { actAs } from '../../platform/acting.ts';
import type { Middleware } from '../api.ts';

/** What a request changes is recorded as done by its caller: the user who signed in, or else the application itself. */
export const audit: Middleware = async (context, next) => {
  const { caller, correlationId } = context.var;
  const actor =
    caller.authorization === undefined
      ? ({ kind: 'application', id: caller.application, correlationId } as const)
      : ({ kind: 'user', id: caller.user, application: caller.application, correlationId } as const);
  await actAs(actor, next);
};
