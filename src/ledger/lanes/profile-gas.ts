import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { ClaimedLeg } from './legs.ts';

/** Gas that is set aside for the redemptions of a profile: upper bounds, so that it does not depend on what others do on chain. */
export interface ProfileGas {
  profile: string;
  gas: bigint;
}

/** The gas that profiles have used on a network on a day of UTC, by profile; those that used none are not in it. */
export async function readProfileGas(ledger: Ledger, chain: Chain, profiles: readonly string[], at: Date): Promise<Map<string, bigint>> {
  const rows = await ledger
    .selectFrom('profileGas')
    .where('chain', '=', chain)
    .where('profile', 'in', [...new Set(profiles)])
    .where('day', '=', dayOf(at))
    .select(['profile', 'gas'])
    .execute();
  return new Map(rows.map(({ profile, gas }) => [profile, gas]));
}

/** Adds what profiles use to their day, a day of UTC. An earlier day is forgotten: a profile has one row, however long it is a customer. */
export async function addProfileGas(tx: LedgerTransaction, chain: Chain, used: readonly ProfileGas[], at: Date): Promise<void> {
  if (used.length === 0) return;
  const input = JSON.stringify(used.map(({ profile, gas }) => ({ profile, gas: gas.toString() })));
  await sql`
    insert into profile_gas as g (chain, profile, day, gas)
    select ${chain}, profile, ${dayOf(at)}::date, sum(gas)::bigint
    from jsonb_to_recordset(${input}::jsonb) as u (profile uuid, gas bigint) group by profile order by profile
    on conflict (chain, profile) do update set
      gas = case when g.day = excluded.day then g.gas + excluded.gas else excluded.gas end, day = excluded.day
  `.execute(tx);
}

/**
 * Holds claimed legs back whose profile has used up its gas budget: until midnight UTC. No lane claims them before. Those that were in no transaction
 * lose the token that the claim gave them: the burn of a leg with a token is looked up in the index, and a backlog would make that slow.
 */
export async function holdLegs(ledger: Ledger, signer: LowerAddress, legs: readonly ClaimedLeg[], at: Date): Promise<void> {
  const midnight = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
  await sql`
    update legs set held_until = ${midnight}, claimed_by = null,
      token = case when (select true from leg_failures f where f.leg = legs.id limit 1) then token end
    where id = any(${legs.map(({ id }) => id)}::uuid[]) and state = 'ready' and claimed_by = ${signer}
  `.execute(ledger);
}

/** Most legs that one call of {@link releaseHeldLegs} releases, so that a backlog of a day does not hold up a lane's turn. */
const releasedAtOnce = 1_000;

/** Releases the legs of a network that were held until now. */
export async function releaseHeldLegs(ledger: Ledger, chain: Chain, at: Date): Promise<void> {
  await sql`
    update legs set held_until = null, due_at = now() where id in (
      select id from legs where chain = ${chain} and state = 'ready' and held_until <= ${at}
      order by held_until limit ${releasedAtOnce} for update skip locked)
  `.execute(ledger);
}

/** Whether any leg of a network is held. Costs one index lookup, however many are. */
export async function hasHeldLegs(ledger: Ledger, chain: Chain): Promise<boolean> {
  const { rows } = await sql`
    select from legs where chain = ${chain} and state = 'ready' and held_until is not null order by held_until limit 1
  `.execute(ledger);
  return rows.length > 0;
}

/** Held legs are counted up to this number: a count of all would cost more with each. */
export const mostCountedHeldLegs = 500;

/** Legs that wait for another day, and the profiles whose budget is used up. */
export interface HeldLegs {
  /** At most {@link mostCountedHeldLegs} and one more, which says that there are further ones. */
  legs: number;
  /** The profiles of the counted legs. */
  profiles: string[];
}

/** Counts the held legs of a network, as far as {@link mostCountedHeldLegs} goes. */
export async function countHeldLegs(ledger: Ledger, chain: Chain): Promise<HeldLegs> {
  // Materialized, so that orders are looked up only for the legs that are counted.
  const { rows } = await sql<HeldLegs>`
    with held as materialized (
      select order_id from legs where chain = ${chain} and state = 'ready' and held_until is not null
      order by held_until limit ${mostCountedHeldLegs + 1}
    )
    select count(*)::int as legs, coalesce(array_agg(distinct o.profile::text), '{}') as profiles
    from held h cross join lateral (select profile from orders where id = h.order_id offset 0) o
  `.execute(ledger);
  return rows[0] ?? { legs: 0, profiles: [] };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
