import { isRecentlyProved } from '../../../ledger/access/factors/recent-proofs.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { browserHash } from '../factors/relying-party.ts';
import type { PageHandler, PageRequest } from '../page-request.ts';
import { signedIn } from '../signed-in.ts';
import { pageUrl } from '../page-request.ts';

/** The pages that need a recent proof of who the user is. */
export type ProvenPage = 'passkeys' | 'add-passkey' | 'authenticator' | 'recovery-codes';

/**
 * Requires a signed-in user who has given the password or a factor within the last minutes: whoever finds a browser signed in cannot change how its
 * user signs in. Anybody else is sent to the page that asks for it, and comes back.
 */
export function proven(
  page: ProvenPage,
  handler: (pageRequest: PageRequest, user: SignedInUser) => Response | Promise<Response>,
): PageHandler {
  return signedIn(async (pageRequest, user) => {
    const { context, deps } = pageRequest;
    if (await isRecentlyProved(deps.ledger, browserHash(pageRequest))) return handler(pageRequest, user);
    return context.redirect(`${pageUrl('prove', pageRequest)}?next=${page}`, 303);
  });
}
