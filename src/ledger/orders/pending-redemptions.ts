import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Currency, type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** Tokens of one currency at an address of a chain. */
export interface TokenHolder {
  chain: Chain;
  address: LowerAddress;
  currency: Currency;
}

/** The orders of a holder whose tokens are, as far as the ledger knows, not burnt yet, with the EIP-191 hashes of their messages. */
export async function listOpenRedemptions(ledger: Ledger, holder: TokenHolder): Promise<{ orderId: string; messageHash: string }[]> {
  const { rows } = await sql<{ orderId: string; messageHash: string }>`
    select id as order_id, digest as message_hash from orders where digest is not null and id in (select order_id ${openLegs(holder)})
  `.execute(ledger);
  return rows;
}

/**
 * The sum of a holder's orders whose tokens are not burnt yet; they are spoken for, though the chain still shows them.
 * `burnt` are orders whose burning a balance shows already, though it is not confirmed.
 */
export async function reservedAmount(ledger: Ledger, holder: TokenHolder, burnt: readonly string[]): Promise<MinorUnits> {
  const { rows } = await sql<{ amount: MinorUnits }>`
    select coalesce(sum(amount), 0)::bigint as amount ${openLegs(holder)} and order_id <> all(${burnt}::uuid[])
  `.execute(ledger);
  return rows[0]?.amount ?? minorUnits(0n);
}

function openLegs({ chain, address, currency }: TokenHolder) {
  return sql`
    from legs
    where chain = ${chain} and account = ${address} and currency = ${currency} and kind = 'redeem' and state in ('waiting', 'ready', 'sent')`;
}
