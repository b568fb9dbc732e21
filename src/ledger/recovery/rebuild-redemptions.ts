import { sql } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { payoutPaymentIdOf } from '../derived-ids.ts';
import { isIssuedOtherwise } from '../orders/placement/issued-ids.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { fullIbanDestination, onChainDestination } from '../orders/payment-message.ts';
import { insertRedemption } from '../orders/placement/insert-redemptions.ts';
import type { Counterpart } from '../../schema/column-types.ts';

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
  /** The payee of the debit that paid it out; null when the bank has booked none. */
  payee: Party | null;
  /** Whether the chain has given its tokens back. */
  isGivenBack: boolean;
}

/** The largest bigint of PostgreSQL, in minor units. */
const largestBigint = String(2n ** 63n - 1n);

/** Redemptions that are rebuilt at once. */
const redemptionsAtOnce = 500;

/**
 * Places redemptions again that the chain has burnt, where nobody has to be asked: those to another chain whose message names the address in full, those that
 * the bank has paid out, and those whose tokens were given back. Their burn then ends their first leg. Any other lacks the payee's name, and its holder
 * places it again. Returns how many.
 */
export async function rebuildRedemptions(tx: LedgerTransaction, defaultMemo: string): Promise<number> {
  let rebuilt = 0;
  for (const { payee, isGivenBack, ...row } of await findLostRedemptions(tx)) {
    const counterpart = counterpartOf(row.message, payee, isGivenBack);
    if (counterpart === undefined) continue;
    const draft = {
      ...row,
      id: row.orderId,
      address: row.account,
      counterpart,
      memo: defaultMemo,
      referenceNumber: null,
      supportingDocument: null,
      requestHash: '',
      correlationId: null,
    };
    if (await insertRedemption(tx, draft, 'by contract')) rebuilt += 1;
  }
  return rebuilt;
}

/**
 * Only an account that a profile has linked: what is lost with its customer is placed again by the customer. An id under which a chain has
 * issued something else, or an amount beyond a bigint, is no redemption's of this ledger, but that of a stolen key.
 */
async function findLostRedemptions(tx: LedgerTransaction): Promise<LostRedemption[]> {
  const { rows } = await sql<LostRedemption>`
    with lost as (
      select u.*, u.account as address from unrecorded_outcomes u
      where u.state = 'open' and u.kind = 'redeem' and u.message is not null
        and not ${isIssuedOtherwise(sql`u.order_id`, sql`u`)} and u.amount <= ${sql.lit(largestBigint)}::numeric
        and not exists (select from orders o where o.id = u.order_id or (o.kind = 'redeem' and o.address = u.account and o.digest = u.digest))
    ), paid as (
      select distinct on (lower(end_to_end_id)) lower(end_to_end_id) as id, amount, currency, payee
      from bank_debits where state = 'unexplained' and end_to_end_id is not null order by lower(end_to_end_id)
    ), rebuildable as (
      select u.*, a.profile, d.payee, i.id is not null as is_given_back
      from lost u join address_links k on k.address = u.account and k.chain = u.chain join addresses a on a.address = k.address
      left join paid d on d.id = replace(${payoutPaymentIdOf('u')}::text, '-', '') and d.amount = u.amount and d.currency = u.currency
      left join unrecorded_outcomes i on i.state = 'open' and i.kind = 'issue' and i.refused is null and i.order_id = u.order_id and i.chain = u.chain
        and i.account = u.account and i.amount = u.amount
    )
    select order_id, profile, chain, account, currency, amount::text as amount, digest, message, signature, payee, is_given_back
    from rebuildable where payee is not null or is_given_back or message ~ ' on [a-z ]+ at [^ ]+$'
    order by block_number, id limit ${redemptionsAtOnce}
  `.execute(tx);
  return rows;
}

function counterpartOf(message: string, payee: Party | null, isGivenBack: boolean): Counterpart | undefined {
  const destination = onChainDestination(message);
  if (destination !== undefined) return { identifier: { standard: 'chain', ...destination }, details: {} };
  if (payee === null && !isGivenBack) return undefined;
  const iban = payee?.iban ?? fullIbanDestination(message);
  return {
    identifier: { standard: 'iban', ...(iban !== undefined && { iban }) },
    details: payee?.name === undefined ? {} : { name: payee.name },
  };
}
