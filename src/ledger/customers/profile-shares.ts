import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { lockProfile } from './profile-sections.ts';
import { advance, writeSection } from './profile-submissions.ts';

/** What the provider checks; `sourceOfFunds` and the form come from the partner (docs/api.md, Sharing). */
const checkedByProvider = ['idDocument', 'facialSimilarity', 'proofOfResidency'];

/** Applicant tokens that choose the family name of the simulated applicant, and with it what the review decides. */
const namingTokens = new Set(['reject', 'review']);

/**
 * Asks the simulated provider for a customer's details and verifications, which come shortly after. Throws `not_shareable`
 * for a company, and for a profile that takes nothing any more.
 */
export async function requestShare(ledger: Ledger, profile: string, provider: string, token: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const found = await lockProfile(tx, profile);
    if (!found) throw new Error(`profile ${profile} is gone`);
    if (found.kind !== 'personal') throw notShareable('is corporate: only personal profiles can be shared');
    if (found.state !== 'created' && found.state !== 'incomplete') throw notShareable(`is ${found.state}: nothing more can be submitted`);
    // Of the token only this is kept: it is a credential of the provider's.
    const familyName = namingTokens.has(token.trim().toLowerCase()) ? token.trim() : 'Applicant';
    await tx
      .insertInto('profileShares')
      .values({ profile, provider, familyName })
      .onConflict((conflict) => conflict.column('profile').doUpdateSet({ provider, familyName }))
      .execute();
  });
}

/** Brings what the simulated provider has: details and verifications that nobody has given meanwhile. Returns how many profiles. */
export async function fillShares(ledger: Ledger, limit: number): Promise<number> {
  const asked = await ledger.selectFrom('profileShares').orderBy('requestedAt').limit(limit).select('profile').execute();
  for (const { profile } of asked) await fillShare(ledger, profile);
  return asked.length;
}

async function fillShare(ledger: Ledger, profile: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    // First the profile, as the one who asks does: the other way round the two could wait for each other.
    const before = await lockProfile(tx, profile);
    const share = await tx.deleteFrom('profileShares').where('profile', '=', profile).returning('familyName').executeTakeFirst();
    if (!before || !share || (before.state !== 'created' && before.state !== 'incomplete')) return;
    if (before.details.state === 'incomplete') {
      const data = applicant(share.familyName);
      await writeSection(tx, profile, 'details', data);
      await tx
        .updateTable('profiles')
        .set({ name: `${data.firstName} ${data.lastName}` })
        .where('id', '=', profile)
        .execute();
    }
    await tx
      .updateTable('profileVerifications')
      .set({ state: 'pending', updatedAt: sql<Date>`now()` })
      .where('profile', '=', profile)
      .where('kind', 'in', checkedByProvider)
      .where('state', '=', 'incomplete')
      .execute();
    await advance(tx, before);
  });
}

function applicant(lastName: string) {
  return {
    firstName: 'Sam',
    lastName,
    address: 'Example Street 1',
    postalCode: '101',
    city: 'Reykjavik',
    country: 'IS',
    nationality: 'IS',
    birthday: '1990-01-01',
  };
}

function notShareable(text: string): StopError {
  return new StopError({ code: 'not_shareable', message: 'Validation errors', fields: { profile: text } });
}
