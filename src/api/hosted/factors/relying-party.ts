import { hashSecret } from '../../../ledger/access/applications/secrets.ts';
import type { RelyingParty } from '../../../ledger/access/factors/webauthn.ts';
import { baseUrl } from '../../../platform/settings.ts';
import type { PageRequest } from '../page-request.ts';

/** The service as the owner of passkeys: they belong to the host of the base URL. */
export function relyingParty({ deps: { settings } }: PageRequest): RelyingParty {
  return { origin: new URL(baseUrl(settings)).origin, name: settings.serviceName };
}

/** What the ledger knows the browser of a request by: the SHA-256 of its cookie. After a sign-in it is another. */
export function browserHash({ browser }: PageRequest): Buffer {
  return hashSecret(browser.secret);
}
