import { sql } from 'kysely';
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
 * SQL of a relation: the redemptions whose tokens are, as far as the ledger knows, not burnt yet; they are spoken for, though the chain still shows them.
 * Its columns are `chain`, `account`, `currency`, `amount` (minor units), `message_hash`, the EIP-191 hash of the message, and `may_be_burnt`: whether a
 * lane has claimed the leg; this ledger has sent no other. When somebody else with an operator's key has sent the message of a leg that is not claimed,
 * its tokens count twice until it is: too little is left then, never too much.
 */
export const openRedemptions = sql`(
  select chain, account, currency, amount, state = 'sent' or token is not null as may_be_burnt,
    (select digest from orders where id = order_id) as message_hash
  from legs where kind = 'redeem' and state in ('waiting', 'ready', 'sent'))`;
