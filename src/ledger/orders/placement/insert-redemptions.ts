import { type RawBuilder, sql } from 'kysely';
import { type Actor, auditedActor } from '../../../platform/acting.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';
import type { Chain } from '../../../platform/chains.ts';
import type { Currency } from '../../../platform/money.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { laneQueue } from '../../wake-ups.ts';
import { beginLegs } from '../legs/begin-legs.ts';
import type { Counterpart } from '../../../schema/column-types.ts';
import type { OrderFacts } from '../events.ts';

/** A redemption that was requested and meets every rule of `POST /orders`. */
export interface RedemptionDraft {
  id: string;
  profile: string;
  address: LowerAddress;
  chain: Chain;
  currency: Currency;
  /** Minor units, as text: a draft is kept as JSON. */
  amount: string;
  /** Addresses in lower case, IBAN without spaces. */
  counterpart: Counterpart;
  memo: string;
  referenceNumber: string | null;
  message: string;
  /** EIP-191 hash of the message. */
  digest: string;
  signature: string;
  supportingDocument: string | null;
  /** SHA-256 of the request's body, hexadecimal. */
  requestHash: string;
  correlationId: string | null;
}

/** A redemption's signature: that of the account's key or of its contract, known to be valid; or one of its contract that has no verdict yet. */
export type RedemptionSignature = 'by key' | 'by contract' | 'awaited';

/** A redemption that is to be placed, and what is known of its signature. */
export interface NewRedemption {
  draft: RedemptionDraft;
  signature: RedemptionSignature;
  /** Whom the audit log names. Without one it names whoever the transaction writes for (src/platform/acting.ts). */
  actor?: Actor;
}

/**
 * Inserts a redemption with its legs. While its signature is `awaited`, its first leg waits for the verdict. Returns whether the order was
 * placed: it is not when its id is taken, or its message was used for an order of this address.
 */
export async function insertRedemption(tx: LedgerTransaction, draft: RedemptionDraft, signature: RedemptionSignature): Promise<boolean> {
  const { rows } = await insertRedemptions([{ draft, signature }], 'skips').execute(tx);
  if (rows.length > 0 && signature !== 'awaited') tx.wakeUps.add(laneQueue(draft.chain));
  return rows.length > 0;
}

/**
 * SQL of the statement that inserts redemptions, their legs and, for those with an actor, their entries of the audit log. It returns what answers
 * show of the orders. An id or a message that is used already fails the statement or skips its order. Orders are inserted in the order of their ids:
 * two transactions with the same ids would wait for each other otherwise. Its text is always the same, so that it is prepared once.
 */
export function insertRedemptions(redemptions: readonly NewRedemption[], used: 'fails' | 'skips'): RawBuilder<OrderFacts> {
  return sql<OrderFacts>`
    with redemption as (
      select * from jsonb_to_recordset(${JSON.stringify(redemptions.map(rowOf))}::jsonb) as r (
        id uuid, profile uuid, address text, chain text, currency text, amount bigint, counterpart jsonb, memo text, "referenceNumber" text,
        message text, digest text, signature text, "supportingDocument" uuid, "requestHash" text, "correlationId" text, "toChain" text,
        "toAddress" text, "signedBy" text, "redeemState" text, "actorKind" text, actor text, "actorApplication" text, "actorCorrelationId" text)
    ), placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, reference_number, message, digest,
        signature, supporting_document, request_hash, correlation_id)
      select id, 'redeem', profile, address, chain, currency, amount, counterpart, memo, "referenceNumber", message, digest,
        signature, "supportingDocument", decode("requestHash", 'hex'), "correlationId"
      from redemption order by id
      ${used === 'skips' ? sql`on conflict do nothing` : sql``}
      returning ${factColumns}
    ), ${beginLegs(sql`
      select id, 'redeem', 0, r.chain, r.currency, r.address, r.amount, r."redeemState", r."signedBy", null::text, null::timestamptz
      from placed join redemption r using (id)
      union all
      select id, 'payout', 1, r."toChain", r.currency, r."toAddress", r.amount, 'waiting', 'nobody', null, null from placed join redemption r using (id)`)},
    audited as (
      insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
      select r."actorKind", r.actor, 'order.place', 'order', id::text, coalesce(r."actorCorrelationId", r."correlationId"),
        jsonb_build_object('profile', r.profile, 'address', r.address, 'chain', r.chain, 'currency', r.currency, 'amount', r.amount)
          || case when r."actorApplication" is null then '{}' else jsonb_build_object('application', r."actorApplication") end
      from placed join redemption r using (id) where r.actor is not null
    )
    select * from placed`;
}

/** The columns of {@link OrderFacts} in the table `orders`. */
export const factColumns = sql.raw(
  `orders.id, orders.kind, orders.profile, orders.address, orders.chain, orders.currency, orders.amount, orders.counterpart, orders.memo,
    orders.reference_number, orders.state, orders.placed_at, orders.processed_at, orders.rejected_reason, orders.supporting_document,
    orders.tx_hashes, orders.gives_back, orders.held_for, orders.held_until`,
);

function rowOf({ draft, signature, actor }: NewRedemption) {
  const { identifier } = draft.counterpart;
  const [toChain, toAddress] = identifier.standard === 'chain' ? [identifier.chain, identifier.address] : [null, null];
  return {
    ...draft,
    toChain,
    toAddress,
    signedBy: signature === 'by key' ? 'key' : 'contract',
    redeemState: signature === 'awaited' ? 'waiting' : 'ready',
    ...(actor && auditedActor(actor)),
  };
}
