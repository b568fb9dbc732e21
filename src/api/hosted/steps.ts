import { listAddresses } from '../../ledger/customers/addresses.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { findUser } from '../../ledger/access/users.ts';
import type { PageName, PageRequest } from './page-request.ts';

type Serving = Pick<PageRequest, 'deps' | 'request'>;

/**
 * The next page of a signed-in user: details, form and verifications while they are missing, the progress while they are in review, then an
 * address, then the last page. In the sandbox `skip_kyc` goes straight to consent (docs/api.md, Hosted pages).
 */
export async function nextPage({ deps, request }: Serving, user: string): Promise<PageName> {
  const { ledger, settings } = deps;
  const last = lastPage({ request });
  if (request?.skipKyc && settings.environment === 'sandbox') return last;
  const id = (await findUser(ledger, user))?.defaultProfile ?? null;
  const profile = id === null ? undefined : await findProfile(ledger, id);
  if (profile === undefined) return 'details';
  const { state, details, form } = profile;
  // The overview of the account shows the progress itself.
  if (state === 'pending' || state === 'rejected') return request === undefined ? last : 'progress';
  if (state === 'approved') return (await listAddresses(ledger, profile.id, undefined, { limit: 1 })).total === 0 ? 'address' : last;
  if (details.state === 'incomplete') return 'details';
  return form.state === 'incomplete' ? 'form' : 'verification';
}

/** Where onboarding ends, and where postponed steps lead: consent to the application's request, or the overview of the account. */
export function lastPage({ request }: Pick<PageRequest, 'request'>): PageName {
  return request === undefined ? 'overview' : 'consent';
}
