import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';

/** Tokens of one currency at an address of a chain. */
export interface TokenHolder {
  chain: Chain;
  address: LowerAddress;
  currency: Currency;
}

/**
 * SQL of what is known of redemptions whose tokens are, as far as the ledger knows, not burnt yet: they are spoken for, though the chain still shows
 * them. Those are redemptions too whose signature is being checked before they are placed.
 */
export interface OpenRedemptions {
  /** A relation with the columns `chain`, `account`, `currency` and `amount` (minor units): of each account a few rows, which add up to what is open. */
  sums: RawBuilder<unknown>;
  /**
   * A relation of those that may be burnt: whose legs a lane has claimed; this ledger has sent no others. Its columns are `chain`, `account`, `currency`,
   * `amount` (minor units) and `message_hash`, the EIP-191 hash of the message. When somebody else with an operator's key has sent the message of a leg
   * that is not claimed, its tokens count twice until it is: too little is left then, never too much.
   */
  maybeBurnt: RawBuilder<unknown>;
}

/** SQL: the account of the redemption in `leg`, as the index of what may be carried out has it (src/schema/lanes.sql, `open_legs_outcome`). */
export function redeemer(leg: string): RawBuilder<string> {
  const [sequence, account, token] = ['sequence', 'account', 'token'].map((column) => sql.ref(`${leg}.${column}`));
  return sql`(case when ${sequence} is null then ${account} else ${token} end)`;
}

/** The open redemptions. Reading them costs what is in flight, however many wait. */
export const openRedemptions: OpenRedemptions = {
  sums: sql`(
    select chain, account, currency, case side when 'placed' then amount else -amount end as amount from redemption_sums
    union all
    select chain, address, draft ->> 'currency', (draft ->> 'amount')::bigint from signature_requests
    where kind = 'order' and state = 'pending' and order_id is null)`,
  maybeBurnt: sql`(
    select chain, ${redeemer('open_legs')} as account, currency, amount, (select digest from orders where id = order_id) as message_hash
    from open_legs where kind = 'redeem' and token is not null and sequence is null)`,
};
