import { sql } from 'kysely';
import type { SignInFactor } from '../../schema/states.ts';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';
import type { Subject } from './subject.ts';

/** Days for which the counts of an hour are kept. What they say is in the audit log. */
const keptDays = 1;

/** Stand for all whom nobody knows: the nil UUID (RFC 9562, section 5.9), and a name that no operator can have. */
const nobody: Readonly<Record<Subject['kind'], string>> = { user: '00000000-0000-0000-0000-000000000000', operator: '(nobody)' };

/**
 * Counts what somebody got wrong who wanted to sign in; without an id for somebody whom nobody knows, which takes the same time. A trigger writes the first,
 * the tenth, the hundredth and so on of an hour into the audit log.
 */
export async function countSignInFailure(
  ledger: Ledger,
  { kind, id }: { kind: Subject['kind']; id: string | undefined },
  factor: SignInFactor,
): Promise<void> {
  await sql`
    insert into sign_in_failures as f (kind, subject, factor, hour, failures)
    values (${kind}, ${id ?? nobody[kind]}, ${factor}, date_trunc('hour', now()), 1)
    on conflict (kind, subject, factor, hour) do update set failures = f.failures + 1
  `.execute(ledger);
  await clearExpired(ledger, 'signInFailures', keptDays);
}
