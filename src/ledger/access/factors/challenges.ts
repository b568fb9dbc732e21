import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';
import { clearExpired } from '../expired-rows.ts';

/** What a challenge is signed for: a signature for one purpose is worth nothing for another. */
export type ChallengePurpose = 'register' | 'sign-in' | 'second-factor' | 'proof';

/** Long enough to fetch a security key from another room. */
const challengeMinutes = 5;

/** Keeps the challenge of a browser, which is the SHA-256 of its cookie, in place of an earlier one for that purpose. */
export async function keepChallenge(ledger: Ledger, browser: Buffer, purpose: ChallengePurpose, challenge: string): Promise<void> {
  const expiresAt = sql<Date>`now() + make_interval(mins => ${challengeMinutes})`;
  await ledger
    .insertInto('webauthnChallenges')
    .values({ browser, purpose, challenge, expiresAt })
    .onConflict((conflict) => conflict.columns(['browser', 'purpose']).doUpdateSet({ challenge, expiresAt }))
    .execute();
  await clearExpired(ledger, 'webauthnChallenges');
}

/** The challenge of a browser for a purpose, once; `undefined` when there is none or it has expired. */
export async function takeChallenge(ledger: Ledger, browser: Buffer, purpose: ChallengePurpose): Promise<string | undefined> {
  const taken = await ledger
    .deleteFrom('webauthnChallenges')
    .where('browser', '=', browser)
    .where('purpose', '=', purpose)
    .returning(['challenge', sql<boolean>`expires_at > now()`.as('isCurrent')])
    .executeTakeFirst();
  return taken?.isCurrent === true ? taken.challenge : undefined;
}
