import { listAddresses } from '../../ledger/customers/addresses.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { findUser } from '../../ledger/access/users.ts';
import type { PageName, Visit } from './visit.ts';

/**
 * The page that comes after a user has signed in: what is still missing of their details, then an address, then consent.
 * `skip_kyc` leaves out what is missing, where money is fake (docs/api.md, Hosted pages).
 */
export async function nextPage({ deps, request }: Pick<Visit, 'deps' | 'request'>, user: string): Promise<PageName> {
  const { ledger, settings } = deps;
  if (request.skipKyc && settings.environment === 'sandbox') return 'consent';
  const profile = (await findUser(ledger, user))?.defaultProfile ?? null;
  if (profile === null) return 'consent';
  if (await lacksDetails(ledger, profile)) return 'details';
  return (await listAddresses(ledger, profile, undefined, { limit: 1 })).total === 0 ? 'address' : 'consent';
}

/** Whether a person has yet to say who they are. What a company must say takes more than a page. */
export async function lacksDetails(ledger: Visit['deps']['ledger'], profile: string): Promise<boolean> {
  const found = await findProfile(ledger, profile);
  return found?.kind === 'personal' && (found.state === 'created' || found.state === 'incomplete') && found.details.state === 'incomplete';
}
