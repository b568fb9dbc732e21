import { isRecentlyProved } from '../../../ledger/access/factors/recent-proofs.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { type PageHandler, type PageRequest, goTo } from '../page-request.ts';
import { signedIn } from '../signed-in.ts';

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
