import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { ComparisonName } from '../../schema/column-types.ts';
import type { HoldReason, LegKind } from '../../schema/states.ts';

/** A breach of the reserve that an operator has not acknowledged. */
interface StoppingBreach {
  comparison: ComparisonName;
  currency: string;
  /** The account of the book; empty for the trial balance. */
  account: string;
  difference: MinorUnits;
}

/** An open leg, and what it waits for: of the fields below `since`, those that are not null say it. */
export interface LegWait {
  kind: LegKind;
  state: 'waiting' | 'ready' | 'sent';
  /** Null for a leg of the bank. */
  chain: Chain | null;
  /** Since when it could be carried out; while it waits, since when it exists. */
  since: Date;
  /** How many transactions did not carry it out. */
  failures: number;
  /** The lane that has claimed it. */
  claimedBy: LowerAddress | null;
  /** It is held until then, and why. */
  heldUntil: Date | null;
  heldFor: HoldReason | null;
  /** After failures of its account nothing signed by it is sent before this block. */
  untilBlock: bigint | null;
  /** Its transaction. */
  txState: 'sent' | 'mined' | null;
  /** Hash of the newest attempt. */
  txHash: string | null;
  nonce: bigint | null;
  signer: LowerAddress | null;
  block: bigint | null;
  /** Its payment by the bank, when it was handed over, and the bank's last word. */
  payment: string | null;
  paymentSentAt: Date | null;
  bankStatus: string | null;
  /** The order on another chain that carries it out. */
  dependentOrder: string | null;
  /** An outcome under its order's id that an operator set aside before the leg was there, and has to decide again. */
  setAsideBefore: string | null;
  /** The breaches of the reserve that keep it from being sent: any of its currency stops an issue, one of the bank's balance stops payments. */
  breaches: StoppingBreach[];
  /** Whether the signature that it waits for is to be given on chain. */
  signatureIsOnChain: boolean | null;
}

/** What the open legs of an order wait for, in their order. */
export async function readLegWaits(ledger: Ledger, orderId: string): Promise<LegWait[]> {
  const { rows } = await sql<Omit<LegWait, 'breaches'> & { breaches: (Omit<StoppingBreach, 'difference'> & { difference: string })[] }>`
    select l.kind, l.state, l.chain, l.due_at as since, l.claimed_by, l.held_until, l.held_for,
      case when l.state = 'ready' and l.signed_by = 'contract' then b.until_block end as until_block,
      (select count(*)::int from leg_failures where leg = l.id) as failures,
      t.state as tx_state, t.nonce, t.signer, t.block_number as block,
      (select hash from transaction_attempts where transaction = t.id order by position desc limit 1) as tx_hash,
      p.id as payment, p.sent_at as payment_sent_at, p.bank_status,
      case when l.kind = 'payout' and l.state = 'sent' then d.id end as dependent_order,
      case when l.state = 'ready' and l.kind = 'issue' then (
        select u.id from unrecorded_outcomes u
        where u.order_id = l.order_id and u.kind = 'issue' and u.state = 'set_aside' and u.decided_at < l.created_at limit 1) end as set_aside_before,
      case when (l.kind = 'issue' and l.state = 'ready' and l.claimed_by is null) or (l.chain is null and l.state <> 'waiting' and p.sent_at is null) then (
        select coalesce(jsonb_agg(jsonb_build_object(
          'comparison', b.comparison, 'currency', b.currency, 'account', b.account, 'difference', b.difference::text) order by b.found_at, b.id), '[]')
        from reserve_breaches b
        where b.currency = l.currency and b.acknowledged_at is null and (l.kind = 'issue' or b.comparison = 'bank'))
        else '[]' end as breaches,
      case when l.state = 'waiting' then r.signature = '0x' end as signature_is_on_chain
    from open_legs l
    left join transactions t on t.id = l.transaction
    left join account_backoffs b on b.chain = l.chain and b.account = l.account
    left join payments p on p.leg = l.id
    left join orders d on d.source_order = l.order_id
    left join signature_requests r on r.order_id = l.order_id and r.state = 'pending' and l.position = 0
    where l.order_id = ${orderId}
    order by l.position
  `.execute(ledger);
  return rows.map(({ breaches, ...wait }) =>
    Object.assign(wait, { breaches: breaches.map((breach) => ({ ...breach, difference: minorUnits(BigInt(breach.difference)) })) }),
  );
}
