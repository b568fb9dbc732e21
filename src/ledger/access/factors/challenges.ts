import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';
import { clearExpired } from '../expired-rows.ts';
import { isSameSubject, type Subject, subjectOf, subjectValues } from '../subject.ts';

/** What a challenge is signed for: a signature for one purpose is worth nothing for another. */
export type ChallengePurpose = 'register' | 'sign-in' | 'second-factor' | 'proof';

/** Whose answer is awaited. */
export interface Awaited {
  /** SHA-256 of a secret of the browser, or of the page, that has to answer. */
  holder: Buffer;
  purpose: ChallengePurpose;
  /** Whose passkey it has to be; anybody's for a sign-in. */
  subject?: Subject | undefined;
}

/** Long enough to fetch a security key from another room. */
const challengeMinutes = 5;

/** Keeps a challenge, in place of an earlier one of the holder for that purpose. */
export async function keepChallenge(ledger: Ledger, { holder, purpose, subject }: Awaited, challenge: string): Promise<void> {
  const values = { ...subjectValues(subject), challenge, expiresAt: sql<Date>`now() + make_interval(mins => ${challengeMinutes})` };
  await ledger
    .insertInto('webauthnChallenges')
    .values({ holder, purpose, ...values })
    .onConflict((conflict) => conflict.columns(['holder', 'purpose']).doUpdateSet(values))
    .execute();
  await clearExpired(ledger, 'webauthnChallenges');
}

/** The challenge of a holder for a purpose, once; `undefined` when there is none, it is for another subject, or it has expired. */
export async function takeChallenge(ledger: Ledger, { holder, purpose, subject }: Awaited): Promise<string | undefined> {
  const taken = await ledger
    .deleteFrom('webauthnChallenges')
    .where('holder', '=', holder)
    .where('purpose', '=', purpose)
    .returning(['userId', 'operator', 'challenge', sql<boolean>`expires_at > now()`.as('isCurrent')])
    .executeTakeFirst();
  return taken?.isCurrent === true && isSameSubject(subjectOf(taken), subject) ? taken.challenge : undefined;
}
