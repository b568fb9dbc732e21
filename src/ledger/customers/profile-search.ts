import { lowerAddress } from '../../platform/addresses.ts';
import { isUuid } from '../../platform/uuid.ts';
import { findUserByEmail } from '../access/users.ts';
import type { Ledger } from '../ledger.ts';

/** The profile that an operator means by its id, by one of its IBANs or addresses, or by its user's email address; `undefined` when none is meant. */
export async function searchProfile(ledger: Ledger, text: string): Promise<string | undefined> {
  const sought = text.trim();
  if (isUuid(sought)) {
    const profile = await ledger.selectFrom('profiles').where('id', '=', sought.toLowerCase()).select('id').executeTakeFirst();
    return profile?.id;
  }
  if (/^0x[0-9a-fA-F]{40}$/.test(sought)) {
    const address = await ledger.selectFrom('addresses').where('address', '=', lowerAddress(sought)).select('profile').executeTakeFirst();
    return address?.profile;
  }
  if (sought.includes('@')) return (await findUserByEmail(ledger, sought))?.defaultProfile ?? undefined;
  const iban = sought.replaceAll(/\s/g, '').toUpperCase();
  return (await ledger.selectFrom('ibans').where('iban', '=', iban).select('profile').executeTakeFirst())?.profile;
}
