import { isRecentlyProved } from '../../ledger/access/factors/recent-proofs.ts';
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

/** The pages that need a recent proof of who the user is. */
export type ProvenPage = 'passkeys' | 'add-passkey' | 'authenticator' | 'recovery-codes' | 'address' | 'addresses';

/**
 * Requires a signed-in user who has given the password or a factor within the last minutes: whoever finds a browser signed in cannot change how its
 * user signs in. Anybody else is sent to the page that asks for it, and comes back.
 */
export function proven(
  page: ProvenPage,
  handler: (pageRequest: PageRequest, user: SignedInUser) => Response | Promise<Response>,
): PageHandler {
  return signedIn(async (pageRequest, user) => {
    if (await isRecentlyProved(pageRequest.deps.ledger, user.session, 'user')) return handler(pageRequest, user);
    return goTo('prove', pageRequest, { next: page });
  });
}
