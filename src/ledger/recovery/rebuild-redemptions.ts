import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { onChainDestination } from '../orders/payment-message.ts';
import { placeRedemption } from '../orders/place-order.ts';

/** A redemption on chain without an order, whose account is linked to a profile. */
interface LostRedemption {
  orderId: string;
  profile: string;
  chain: Chain;
  account: LowerAddress;
  currency: Currency;
  amount: string;
  digest: string;
  message: string;
  signature: string;
}

/** Redemptions that are rebuilt at once. */
const redemptionsAtOnce = 500;

/**
 * Places the redemptions again that the chain has burnt and that name a payee in full on another chain: nobody has to be asked for anything. Their burn
 * then ends their first leg. Those to a bank account lack the payee's name, and are placed again by their holders. Returns how many.
 */
export async function rebuildRedemptions(tx: LedgerTransaction, defaultMemo: string): Promise<number> {
  const { rows } = await sql<LostRedemption>`
    select u.order_id, a.profile, u.chain, u.account, u.currency, u.amount::text as amount, u.digest, u.message, u.signature
    from unrecorded_outcomes u
    join address_links k on k.address = u.account and k.chain = u.chain join addresses a on a.address = k.address
    where u.state = 'open' and u.kind = 'redeem' and u.message ~ ' on [a-z ]+ at [^ ]+$'
      and not exists (select from orders o where o.id = u.order_id or (o.kind = 'redeem' and o.address = u.account and o.digest = u.digest))
    order by u.block_number, u.id limit ${redemptionsAtOnce}
  `.execute(tx);
  let rebuilt = 0;
  for (const row of rows) {
    const destination = onChainDestination(row.message);
    if (destination === undefined) continue;
    const draft = {
      ...row,
      id: row.orderId,
      address: row.account,
      counterpart: { identifier: { standard: 'chain' as const, ...destination }, details: {} },
      memo: defaultMemo,
      referenceNumber: null,
      supportingDocument: null,
      requestHash: '',
      correlationId: null,
    };
    if (await placeRedemption(tx, draft, 'by contract')) rebuilt += 1;
  }
  return rebuilt;
}
