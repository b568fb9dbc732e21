import { sql } from 'kysely';
import { clearExpired } from '../access/expired-rows.ts';
import type { Ledger } from '../ledger.ts';
import type { OperatorFactor } from '../../schema/states.ts';

/** Days for which the counts of an hour are kept. What they say is in the audit log. */
const keptDays = 1;

/** Stands for every name that no operator has. No operator can have it. */
const nobody = '(nobody)';

/**
 * Counts a wrong password of an operator, or one for a name that nobody has, which takes the same time; a wrong code after the right password; a wrong answer of
 * a passkey; or a wrong link or code of an invitation. A trigger writes the first, the tenth, the hundredth and so on of an hour into the audit log.
 */
export async function countOperatorFailure(ledger: Ledger, operator: string | undefined, factor: OperatorFactor): Promise<void> {
  await sql`
    insert into operator_sign_in_failures as f (operator, factor, hour, failures) values (${operator ?? nobody}, ${factor}, date_trunc('hour', now()), 1)
    on conflict (operator, factor, hour) do update set failures = f.failures + 1
  `.execute(ledger);
  await clearExpired(ledger, 'operatorSignInFailures', keptDays);
}
