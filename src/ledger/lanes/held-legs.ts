import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { currencies, type Currency } from '../../platform/money.ts';
import type { HoldReason } from '../../schema/states.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted } from '../most-counted.ts';
import { holdOrders } from '../orders/lifecycle.ts';
import type { ClaimedLeg } from './legs.ts';

/** Why legs are held, in the order in which they are shown. */
const holdReasons = ['gas_budget', 'dust'] as const satisfies readonly HoldReason[];

/**
 * Holds claimed legs back until a time, because the gas budget of their profile is used up. No lane claims them before, and their orders say so. A redemption
 * that was in no transaction loses the token that the claim gave it: the burn of a leg with a token is looked up in the index, and a backlog would make that
 * slow. An issue keeps its token, because its number is one of that token.
 */
export async function holdLegs(ledger: Ledger, signer: LowerAddress, legs: readonly ClaimedLeg[], until: Date): Promise<void> {
  await sql`
    with held as (
      update open_legs set held_until = ${until}, held_for = 'gas_budget', claimed_by = null,
        token = case when kind = 'issue' or (select true from leg_failures f where f.leg = open_legs.id limit 1) then token end
      where id = any(${legs.map(({ id }) => id)}::uuid[]) and state = 'ready' and claimed_by = ${signer}
      returning order_id
    )
    ${holdOrders(sql`held`, { until, reason: 'gas_budget' })}
  `.execute(ledger);
}

/** Most legs that one call releases of a reason and currency, so that a backlog does not hold up a lane's turn. */
const releasedAtOnce = 1_000;

/** Releases the legs of a network that were held until now. With dust that is due goes all dust of its currency, so that it shares a transaction. */
export async function releaseDueLegs(ledger: Ledger, chain: Chain, at: Date): Promise<void> {
  const isDue = (reason: HoldReason) => sql`l.currency = c.currency and ${isHeld(chain, reason)} and l.held_until <= ${at}`;
  await release(
    ledger,
    sql`
      select l.id from unnest(${[...currencies]}::text[]) c (currency) cross join lateral (
        select l.id from open_legs l where ${isDue('gas_budget')} order by l.held_until limit ${releasedAtOnce} for update skip locked) l
      union all
      select l.id from unnest(${[...currencies]}::text[]) c (currency)
      cross join lateral (select from open_legs l where ${isDue('dust')} order by l.held_until limit 1) due
      cross join lateral (
        select l.id from open_legs l where l.currency = c.currency and ${isHeld(chain, 'dust')}
        order by l.held_until limit ${releasedAtOnce} for update skip locked) l`,
  );
}

/** Releases dust of a network before its time, in one currency or in all, the oldest first. Returns how many credits that are. */
export async function releaseDust(ledger: Ledger, chain: Chain, ofCurrencies: readonly Currency[], limit: number): Promise<number> {
  return release(
    ledger,
    sql`
      select l.id from unnest(${[...ofCurrencies]}::text[]) c (currency) cross join lateral (
        select l.id from open_legs l where l.currency = c.currency and ${isHeld(chain, 'dust')}
        order by l.held_until limit ${limit} for update skip locked) l`,
  );
}

/** Releases what the gas budget of a profile holds on a network, found by its open orders: it is not held for it again. Returns how many orders that are. */
export async function releaseOfProfile(ledger: Ledger, chain: Chain, profile: string): Promise<number> {
  return release(
    ledger,
    sql`
      select l.id from open_orders o cross join lateral (
        select l.id from open_legs l where l.order_id = o.id and ${isHeld(chain, 'gas_budget')}
        union all
        select l.id from orders d join open_legs l on l.order_id = d.id where d.source_order = o.id and ${isHeld(chain, 'gas_budget')}) l
      where o.profile = ${profile}`,
    { isFinal: true },
  );
}

/** What is held on a network for one reason. */
export interface HeldLegs {
  chain: Chain;
  reason: HoldReason;
  /** At most {@link mostCounted} and one more, which says that there are further ones. */
  count: number;
  /** When the oldest could have been sent. */
  since: Date;
  /** Profiles whose budget is used up, at most four. Empty for dust. */
  profiles: string[];
}

/** Legs of whose profiles some are named. */
const mostLookedAt = 200;

/** Counts what is held on these networks, by reason, in an index alone. */
export async function countHeldLegs(ledger: Ledger, chains: readonly Chain[]): Promise<HeldLegs[]> {
  const { rows } = await sql<HeldLegs>`
    select n.chain, r.reason, h.count, h.since, p.profiles
    from unnest(${[...chains]}::text[]) n (chain) cross join unnest(${[...holdReasons]}::text[]) r (reason)
    cross join lateral (
      select count(*)::int as count, min(due_at) as since from (
        select due_at from open_legs where chain = n.chain and claim_state = 'held' and held_for = r.reason
        order by currency, held_until limit ${mostCounted.open + 1}) l
    ) h
    cross join lateral (
      select coalesce((array_agg(distinct s.profile::text))[1:4], '{}') as profiles from (
        select order_id from open_legs where r.reason = 'gas_budget' and chain = n.chain and claim_state = 'held' and held_for = r.reason
        order by currency, held_until limit ${mostLookedAt}
      ) l
      cross join lateral (select coalesce(source_order, id) as id from orders where id = l.order_id limit 1) o
      cross join lateral (select profile from orders where id = o.id limit 1) s
    ) p
    where h.count > 0 order by n.chain, r.reason
  `.execute(ledger);
  return rows;
}

/** SQL: the leg `l` is held on a network for a reason. */
function isHeld(chain: Chain, reason: HoldReason): RawBuilder<boolean> {
  return sql`(l.chain = ${chain} and l.claim_state = 'held' and l.held_for = ${reason})`;
}

/** With `isFinal`, the legs are not held for the same reason again. */
async function release(ledger: Ledger, ids: RawBuilder<unknown>, { isFinal = false } = {}): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with released as (
      update open_legs set held_until = null, held_for = ${isFinal ? sql`held_for` : null}, due_at = now()
      where id = any(array(${ids})) and held_until is not null
      returning order_id
    ), freed as (${holdOrders(sql`released`)})
    select count(*)::int as count from released
  `.execute(ledger);
  return rows[0]?.count ?? 0;
}
