import { type Actor, actAs } from '../../platform/acting.ts';
import type { Caller } from '../../ledger/access/permissions.ts';
import type { Middleware } from '../api.ts';

/** Records the caller as the actor of what a request changes. */
export const audit: Middleware = async (context, next) => {
  const { caller, correlationId } = context.var;
  await actAs(actorOf(caller, correlationId), next);
};

/** Who acts by a request: the user who signed in, otherwise the application. */
export function actorOf({ authorization, application, user }: Caller, correlationId: string): Actor {
  if (authorization === undefined) return { kind: 'application', id: application, correlationId };
  return { kind: 'user', id: user, application, correlationId };
}
