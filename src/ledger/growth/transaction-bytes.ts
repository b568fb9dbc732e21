import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** Attempts that one statement clears: few enough that it holds its locks for a short time. */
const attemptsAtOnce = 1_000;

/**
 * Clears the bytes of attempts that are older than `days` and whose transaction has ended: nobody sends them again. The attempt itself stays, because
 * its hash shows that a transaction was ours. Returns how many were cleared.
 */
export async function clearTransactionBytes(ledger: Ledger, days: number): Promise<number> {
  for (let cleared = 0; ;) {
    const { numAffectedRows } = await sql`
      update transaction_attempts set raw = null where hash = any(array(
        select a.hash from transaction_attempts a
        cross join lateral (select t.id from transactions t where t.id = a.transaction and t.state in ('settled', 'reverted', 'lost') limit 1) t
        where a.raw is not null and a.created_at < now() - make_interval(days => ${days})
          and not exists (select from leg_failures f where f.transaction = t.id and f.outcome = 'reverted' and f.alone and f.reason is null)
        order by a.created_at limit ${attemptsAtOnce} for update of a skip locked))
    `.execute(ledger);
    const count = Number(numAffectedRows ?? 0n);
    cleared += count;
    if (count < attemptsAtOnce) return cleared;
  }
}
