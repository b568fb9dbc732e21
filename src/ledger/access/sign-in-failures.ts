import { sql } from 'kysely';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** Days for which the counts of an hour are kept. What they say is in the audit log. */
const keptDays = 1;

/** Stands for all addresses without an account (RFC 9562, section 5.9). */
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * Counts a wrong password of an account, or one for an address without an account, which takes the same time. A trigger writes the first, the tenth,
 * the hundredth and so on of an hour into the audit log.
 */
export async function countSignInFailure(ledger: Ledger, user: string | undefined): Promise<void> {
  await sql`
    insert into sign_in_failures as f (user_id, hour, failures) values (${user ?? nobody}, date_trunc('hour', now()), 1)
    on conflict (user_id, hour) do update set failures = f.failures + 1
  `.execute(ledger);
  await clearExpired(ledger, 'signInFailures', keptDays);
}
