import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';

/** A leg that a lane is about to send. */
export interface ClaimedLeg {
  id: string;
  orderId: string;
  kind: 'issue' | 'redeem';
  currency: Currency;
  account: LowerAddress;
  /** Minor units. */
  amount: MinorUnits;
  /** Number, dense on its token, by which the contract issues once; null for a redemption. */
  sequence: bigint | null;
  message: string | null;
  signature: string | null;
}

/** Which legs a lane claims: those of its chain that are not parked, at most `limit`. */
export interface ClaimOptions {
  chain: Chain;
  signer: LowerAddress;
  limit: number;
  /** Token contract of each currency on the chain. */
  tokens: Partial<Record<Currency, string>>;
  /** Kinds and currencies that are parked, as `issue eur`. */
  parked: string[];
}

/**
 * Claims the next group of ready legs for a lane, oldest first: all of one kind and currency, at most `limit`. Issue legs get their sequence
 * number here, once. Legs that another lane claims at the same time are skipped.
 */
export async function claimLegs(ledger: Ledger, { chain, signer, limit, tokens, parked }: ClaimOptions): Promise<ClaimedLeg[]> {
  const { rows } = await sql<ClaimedLeg>`
    with first as (
      select kind, currency from legs
      where chain = ${chain} and state = 'ready' and kind in ('issue', 'redeem') and claimed_by is null
        and kind || ' ' || currency <> all(${parked}::text[]) and currency = any(${Object.keys(tokens)}::text[])
        and (kind = 'redeem' or currency not in (select currency from reserve_breaches where acknowledged_at is null))
      order by id limit 1
    ), picked as (
      select l.id, ${JSON.stringify(tokens)}::jsonb ->> l.currency as token_now, l.token, l.kind, l.sequence
      from legs l join first using (kind, currency)
      where l.chain = ${chain} and l.state = 'ready' and l.claimed_by is null
      order by l.id limit ${limit} for update of l skip locked
    ), unnumbered as (
      select id, token_now, row_number() over (order by id) as number
      from picked where kind = 'issue' and token is distinct from token_now
    ), numbered as (
      insert into token_sequences as s (chain, token, next)
      select ${chain}, token_now, count(*) from unnumbered group by token_now
      on conflict (chain, token) do update set next = s.next + excluded.next
      returning next - (select count(*) from unnumbered) as base
    )
    update legs set
      claimed_by = ${signer},
      token = p.token_now,
      sequence = case when u.id is null then legs.sequence else (select base from numbered) + u.number - 1 end
    from picked p left join unnumbered u on u.id = p.id, orders o
    where legs.id = p.id and o.id = legs.order_id
    returning legs.id, legs.order_id, legs.kind, legs.currency, legs.account, legs.amount, legs.sequence, o.message, o.signature
  `.execute(ledger);
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The signers with claimed legs on a network that are not recorded as sent. */
export async function claimingSigners(ledger: Ledger, chain: Chain): Promise<LowerAddress[]> {
  const rows = await ledger
    .selectFrom('legs')
    .select('claimedBy')
    .distinct()
    .where('chain', '=', chain)
    .where('state', '=', 'ready')
    .where('claimedBy', 'is not', null)
    .execute();
  return rows.flatMap(({ claimedBy }) => claimedBy ?? []);
}

/**
 * Releases the legs that a lane claimed and has not recorded as sent: after a failure, and when the lane starts. Any lane of the network may
 * then claim them.
 */
export async function releaseClaims(ledger: Ledger, chain: Chain, signer: LowerAddress): Promise<void> {
  const { numUpdatedRows } = await ledger
    .updateTable('legs')
    .set({ claimedBy: null })
    .where('chain', '=', chain)
    .where('claimedBy', '=', signer)
    .where('state', '=', 'ready')
    .executeTakeFirst();
  if (numUpdatedRows > 0n) ledger.wakeUps.add(laneQueue(chain));
}
