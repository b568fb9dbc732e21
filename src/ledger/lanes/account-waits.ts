import { type RawBuilder, sql } from 'kysely';
import { redeemer } from '../orders/pending-redemptions.ts';

// The conditions below are about the columns `chain` and `account` of a relation `l`, which is a leg or an account with its chain. Each costs some
// index lookups (src/schema/lanes.sql), however many legs the account has.

/**
 * SQL: whether the contract account waits: because its redemptions failed on chain, or because it is unproven and has a redemption in flight. Its
 * failures are known only once they are settled, and it could burn the gas of many redemptions until then.
 */
export function waits(block: bigint): RawBuilder<boolean> {
  return sql`(
    exists (select from account_backoffs b
      where b.chain = l.chain and b.account = l.account and (b.until_block is null or b.until_block > ${block}))
    or ${waitsForItsOwn})`;
}

const hasFailed = sql<boolean>`exists (select from account_backoffs b where b.chain = l.chain and b.account = l.account)`;

const hasSucceeded = sql<boolean>`exists (
  select from leg_history d where d.chain = l.chain and d.account = l.account and d.signed_by = 'contract' and d.outcome = 'done')`;

/** SQL: whether no redemption of the contract account has succeeded on the chain, or failures of it are not made up for. */
export const isUnproven: RawBuilder<boolean> = sql`(${hasFailed} or not ${hasSucceeded})`;

/** SQL: whether the contract account has a redemption that a lane has claimed, or that is sent and not settled. */
const isInFlight = sql<boolean>`exists (
  select from open_legs f where f.chain = l.chain and f.token is not null and f.sequence is null and ${redeemer('f')} = l.account
    and f.signed_by = 'contract' and f.claim_state in ('sent', 'claimed'))`;

/** SQL: whether the contract account is unproven and has a redemption in flight, so that its others wait. */
export const waitsForItsOwn: RawBuilder<boolean> = sql`(${isInFlight} and ${isUnproven})`;

/**
 * SQL: since when redemptions of the contract account need not wait for another of it: since the first that succeeded, and while failures are not
 * made up for, since the last that ended. Null when none has ended.
 */
export const turnSince: RawBuilder<Date | null> = sql`(
  case when ${hasFailed} then greatest(${endOf('max', 'done')}, ${endOf('max', 'refused')}) else ${endOf('min', 'done')} end)`;

function endOf(which: 'min' | 'max', state: 'done' | 'refused'): RawBuilder<Date | null> {
  return sql`(
    select ${sql.raw(which)}(e.done_at) from leg_history e
    where e.chain = l.chain and e.account = l.account and e.signed_by = 'contract' and e.outcome = ${sql.lit(state)})`;
}
