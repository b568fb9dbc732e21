import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** What a signer uses up: its gas money, or its mint allowance of a currency. */
export type SignerResource = 'gas' | Currency;

/** What a signer has left of a resource: wei of gas money, token units of an allowance. */
export interface SignerAmount {
  resource: SignerResource;
  amount: bigint;
}

/** A signer's use of a resource, on average of the days that are known of the last seven. */
export interface SignerUse {
  resource: SignerResource;
  /** Wei or token units. */
  perDay: bigint;
}

/** Days of which the use is averaged. A week has its quiet days, too. */
const averagedDays = 7;

/** Days that are kept, for an operator who wonders. */
const keptDays = 31;

/**
 * Records what a signer has left now, and returns what it has used of each resource in a day lately. A rise takes back what seemed used on the same day,
 * down to nothing: either more was granted, or an endpoint that is behind showed an older amount before.
 */
export async function recordSignerAmounts(
  ledger: Ledger,
  { chain, signer }: { chain: Chain; signer: LowerAddress },
  amounts: readonly SignerAmount[],
): Promise<SignerUse[]> {
  const today = sql`(now() at time zone 'UTC')::date`;
  const ofSigner = sql`chain = ${chain} and signer = ${signer}`;
  await sql`
    with reading as (
      select * from unnest(${amounts.map(({ resource }) => resource)}::text[], ${amounts.map(({ amount }) => amount.toString())}::numeric[]) r (resource, amount)
    ), old as (
      delete from signer_amounts where ${ofSigner} and day < ${today} - ${keptDays}::int
    )
    insert into signer_amounts (chain, signer, resource, day, amount, used)
    select ${chain}, ${signer}, r.resource, ${today}, r.amount, greatest(0, coalesce((
      select b.amount from signer_amounts b where b.chain = ${chain} and b.signer = ${signer} and b.resource = r.resource and b.day < ${today}
      order by b.day desc limit 1), r.amount) - r.amount)
    from reading r
    on conflict (chain, signer, resource, day) do update
    set used = greatest(0, signer_amounts.used + signer_amounts.amount - excluded.amount), amount = excluded.amount
  `.execute(ledger);
  const { rows } = await sql<{ resource: SignerResource; perDay: string }>`
    select resource, trunc(sum(used) / greatest(1, extract(epoch from (now() at time zone 'UTC') - min(day)) / 86400))::text as "perDay"
    from signer_amounts where ${ofSigner} and day > ${today} - ${averagedDays}::int group by resource
  `.execute(ledger);
  return rows.map(({ resource, perDay }) => ({ resource, perDay: BigInt(perDay) }));
}

/** What a signer had left of a resource when a worker last looked, and how much of it a day uses. */
export interface SignerReserve extends SignerAmount {
  chain: Chain;
  signer: LowerAddress;
  /** Wei or token units, on average of the days that are known of the last seven. */
  perDay: bigint;
}

/** The newest amounts of all signers, and their use; signers that no worker has looked at for a week are left out. */
export async function listSignerReserves(ledger: Ledger): Promise<SignerReserve[]> {
  const { rows } = await sql<{ chain: Chain; signer: LowerAddress; resource: SignerResource; amount: string; perDay: string }>`
    select chain, signer, resource, (array_agg(amount order by day desc))[1]::text as amount,
      trunc(sum(used) / greatest(1, extract(epoch from (now() at time zone 'UTC') - min(day)) / 86400))::text as "perDay"
    from signer_amounts where day > (now() at time zone 'UTC')::date - ${averagedDays}::int
    group by chain, signer, resource order by chain, signer, resource
  `.execute(ledger);
  return rows.map(({ amount, perDay, ...row }) => Object.assign(row, { amount: BigInt(amount), perDay: BigInt(perDay) }));
}
