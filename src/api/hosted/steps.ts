import { listAddresses } from '../../ledger/customers/addresses.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { findUser } from '../../ledger/access/users.ts';
import type { PageName, PageRequest } from './page-request.ts';

type Serving = Pick<PageRequest, 'deps' | 'request'>;

/**
 * The next page of a signed-in user: missing details, then an address, then the last page.
 * In the sandbox `skip_kyc` goes straight to consent (docs/api.md, Hosted pages).
 */
export async function nextPage({ deps, request }: Serving, user: string): Promise<PageName> {
  const { ledger, settings } = deps;
  const last = lastPage({ request });
  if (request?.skipKyc && settings.environment === 'sandbox') return last;
  const profile = (await findUser(ledger, user))?.defaultProfile ?? null;
  if (profile === null) return last;
  if (await lacksDetails(ledger, profile)) return 'details';
  return (await listAddresses(ledger, profile, undefined, { limit: 1 })).total === 0 ? 'address' : last;
}

/** Where onboarding ends, and where postponed steps lead: consent to the application's request, or the overview of the account. */
export function lastPage({ request }: Pick<PageRequest, 'request'>): PageName {
  return request === undefined ? 'overview' : 'consent';
}

/** Whether the details of a person are missing. Those of a company are not collected by pages. */
export async function lacksDetails(ledger: PageRequest['deps']['ledger'], profile: string): Promise<boolean> {
  const view = await findProfile(ledger, profile);
  return view?.kind === 'personal' && (view.state === 'created' || view.state === 'incomplete') && view.details.state === 'incomplete';
}
