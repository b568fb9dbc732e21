import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { isVersion8 } from '../../platform/uuid.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';
import type { Counterpart } from '../tables.ts';

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

/**
 * Places a redemption with its legs. While its signature is `awaited`, its first leg waits for the verdict. Returns whether the order was
 * placed: it is not when its id is taken or of version 8, or its message was used for an order of this address. Version 8 is that of derived ids:
 * whoever could choose one would keep the issue order of a credit or of another redemption from being placed.
 */
export async function placeRedemption(tx: LedgerTransaction, draft: RedemptionDraft, signature: RedemptionSignature): Promise<boolean> {
  if (isVersion8(draft.id)) return false;
  const { identifier } = draft.counterpart;
  const isAwaited = signature === 'awaited';
  const [toChain, toAddress] = identifier.standard === 'chain' ? [identifier.chain, identifier.address] : [null, null];
  const { numAffectedRows } = await sql`
    with placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, reference_number, message,
        digest, signature, supporting_document, request_hash, correlation_id)
      values (${draft.id}, 'redeem', ${draft.profile}, ${draft.address}, ${draft.chain}, ${draft.currency}, ${draft.amount}::bigint,
        ${JSON.stringify(draft.counterpart)}::jsonb, ${draft.memo}, ${draft.referenceNumber}, ${draft.message}, ${draft.digest},
        ${draft.signature}, ${draft.supportingDocument}, ${Buffer.from(draft.requestHash, 'hex')}, ${draft.correlationId})
      on conflict do nothing
      returning *
    )
    insert into legs (order_id, kind, position, chain, currency, account, amount, state, signed_by)
    select id, 'redeem', 0, chain, currency, address, amount, ${isAwaited ? 'waiting' : 'ready'}, ${signature === 'by key' ? 'key' : 'contract'}
    from placed
    union all
    select id, 'payout', 1, ${toChain}, currency, ${toAddress}, amount, 'waiting', 'nobody' from placed
  `.execute(tx);
  const placed = (numAffectedRows ?? 0n) > 0n;
  if (placed && !isAwaited) tx.wakeUps.add(laneQueue(draft.chain));
  return placed;
}
