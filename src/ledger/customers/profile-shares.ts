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
 * Requests a customer's details and verifications from the simulated provider, which {@link fillShares} delivers shortly after. Throws
 * `not_shareable` for a company, and for a profile that takes no more submissions.
 */
export async function requestShare(
  ledger: Ledger,
  profile: string,
  { provider, token, correlationId }: { provider: string; token: string; correlationId: string },
): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const locked = await lockProfile(tx, profile);
    if (!locked) throw new Error(`profile ${profile} is gone`);
    if (locked.kind !== 'personal') throw notShareable('is corporate: only personal profiles can be shared');
    if (locked.state !== 'created' && locked.state !== 'incomplete')
      throw notShareable(`is ${locked.state}: nothing more can be submitted`);
    // The token is a credential of the provider. Only the name that it selects is stored.
    const familyName = namingTokens.has(token.trim().toLowerCase()) ? token.trim() : 'Applicant';
    await tx
      .insertInto('profileShares')
      .values({ profile, provider, familyName, correlationId })
      .onConflict((conflict) => conflict.column('profile').doUpdateSet({ provider, familyName, correlationId }))
      .execute();
  });
}

/** Delivers what the simulated provider has: the details and verifications that are still missing. Returns how many requests it handled. */
export async function fillShares(ledger: Ledger, limit: number): Promise<number> {
  const requests = await ledger.selectFrom('profileShares').orderBy('requestedAt').limit(limit).select('profile').execute();
  for (const { profile } of requests) await fillShare(ledger, profile);
  return requests.length;
}

async function fillShare(ledger: Ledger, profile: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    // The profile is locked first, as in requestShare: in the other order the two could deadlock.
    const before = await lockProfile(tx, profile);
    const share = await tx
      .deleteFrom('profileShares')
      .where('profile', '=', profile)
      .returning(['familyName', 'correlationId'])
      .executeTakeFirst();
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
    await advance(tx, before, share.correlationId);
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
