import type { SignedInUser } from '../../ledger/access/sessions.ts';
import { actAs } from '../../platform/acting.ts';
import { type PageHandler, type PageRequest, goTo } from './page-request.ts';

/** Requires a signed-in user, who is recorded as the actor of changes. Anybody else is sent to sign in. */
export function signedIn(handler: (pageRequest: PageRequest, user: SignedInUser) => Response | Promise<Response>): PageHandler {
  return (pageRequest) => {
    const { browser, context, request } = pageRequest;
    const { user } = browser;
    if (!user) return goTo('sign-in', pageRequest);
    const actor = { kind: 'user' as const, id: user.id, correlationId: context.var.correlationId };
    return actAs(request === undefined ? actor : { ...actor, application: request.client.id }, () => handler(pageRequest, user));
  };
}
