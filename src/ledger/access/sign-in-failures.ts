import { sql } from 'kysely';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** Days for which the counts of an hour are kept. What they say is in the audit log. */
const keptDays = 1;

/**
 * Counts a wrong password of an account. A trigger writes the first, the tenth, the hundredth and so on of an hour into the audit log. An unknown
 * account, which is not counted, takes the same time.
 */
export async function countSignInFailure(ledger: Ledger, user: string | undefined): Promise<void> {
  await sql`
    insert into sign_in_failures as f (user_id, hour, failures)
    select u.id, date_trunc('hour', now()), 1 from users u where u.id = ${user ?? null}::uuid
    on conflict (user_id, hour) do update set failures = f.failures + 1
  `.execute(ledger);
  await clearExpired(ledger, 'signInFailures', keptDays);
}
