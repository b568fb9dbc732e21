import { sql } from 'kysely';
import { lowerAddress } from '../../platform/addresses.ts';
import { isUuid } from '../../platform/uuid.ts';
import { findUserByEmail } from '../access/users.ts';
import type { Ledger } from '../ledger.ts';

/** Profiles that are found by a name at most. */
const mostProfiles = 20;

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

/** The ids of the profiles whose names have words that begin like each of these, {@link mostProfiles} at most. Of the words letters and digits count. */
export async function findProfilesByName(ledger: Ledger, words: readonly string[]): Promise<string[]> {
  const beginnings = words.map((word) => `'${word.replaceAll(/[^\p{L}\p{N}]/gu, '')}':*`).join(' & ');
  const { rows } = await sql<{ id: string }>`
    select id from profiles where to_tsvector('simple', name) @@ to_tsquery('simple', ${beginnings}) limit ${mostProfiles}`.execute(ledger);
  return rows.map(({ id }) => id);
}

/** The name of a profile; undefined when there is none. */
export async function findProfileName(ledger: Ledger, id: string): Promise<string | undefined> {
  return (await ledger.selectFrom('profiles').where('id', '=', id).select('name').executeTakeFirst())?.name;
}
