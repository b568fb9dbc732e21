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
 * Its columns are `chain`, `account`, `currency`, `amount` (minor units) and `message_hash`, the EIP-191 hash of the message.
 */
export const openRedemptions = sql`(
  select chain, account, currency, amount, (select digest from orders where id = order_id) as message_hash
  from legs where kind = 'redeem' and state in ('waiting', 'ready', 'sent'))`;
