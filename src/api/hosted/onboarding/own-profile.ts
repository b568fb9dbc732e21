import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { ensureOwnProfile } from '../../../ledger/customers/own-profile.ts';
import { isOpen } from '../../../ledger/customers/profile-drafts.ts';
import { findProfile, type ProfileView } from '../../../ledger/customers/profile-sections.ts';
import { type PageHandler, type PageRequest, goTo } from '../page-request.ts';
import { signedIn } from '../signed-in.ts';

/** The profile of a user, which is created when there is none. */
export async function ownProfile({ deps }: Pick<PageRequest, 'deps'>, user: SignedInUser): Promise<ProfileView> {
  const id = await ensureOwnProfile(deps.ledger, user.id);
  const profile = await findProfile(deps.ledger, id);
  if (!profile) throw new Error(`profile ${id} is gone`);
  return profile;
}

/** A page of a signed-in user whose profile takes data. One whose profile does not is shown how far it is. */
export function whileOpen(handler: (pageRequest: PageRequest, profile: ProfileView) => Response | Promise<Response>): PageHandler {
  return signedIn(async (pageRequest, user) => {
    const profile = await ownProfile(pageRequest, user);
    return isOpen(profile) ? handler(pageRequest, profile) : goTo('progress', pageRequest);
  });
}
