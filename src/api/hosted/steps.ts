import { listAddresses } from '../../ledger/customers/addresses.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { findUser } from '../../ledger/access/users.ts';
import type { PageName, PageRequest } from './page-request.ts';

/**
 * The next page of a signed-in user: missing details, then an address, then consent.
 * In the sandbox `skip_kyc` goes straight to consent (docs/api.md, Hosted pages).
 */
export async function nextPage({ deps, request }: Pick<PageRequest, 'deps' | 'request'>, user: string): Promise<PageName> {
  const { ledger, settings } = deps;
  if (request.skipKyc && settings.environment === 'sandbox') return 'consent';
  const profile = (await findUser(ledger, user))?.defaultProfile ?? null;
  if (profile === null) return 'consent';
  if (await lacksDetails(ledger, profile)) return 'details';
  return (await listAddresses(ledger, profile, undefined, { limit: 1 })).total === 0 ? 'address' : 'consent';
}

/** Whether the details of a person are missing. Those of a company are not collected by pages. */
export async function lacksDetails(ledger: PageRequest['deps']['ledger'], profile: string): Promise<boolean> {
  const view = await findProfile(ledger, profile);
  return view?.kind === 'personal' && (view.state === 'created' || view.state === 'incomplete') && view.details.state === 'incomplete';
}
