import { type RawBuilder, sql } from 'kysely';
import { unitsPerMinorUnit } from '../units-in-sql.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** What the chain's log says of an issue or a redemption, as it is indexed. */
export interface IndexedOutcome {
  kind: 'issue' | 'redeem';
  txHash: string;
  blockNumber: bigint;
  token: string;
  orderId: string;
  account: string;
  /** Token units, in decimal digits. */
  amount: string;
  /** Of an issue, in decimal digits. */
  sequence: string | null;
  /** Of a redemption. */
  messageHash: string | null;
  /** The reason when it was refused; null when it was carried out. */
  refused: string | null;
}

/** A sent leg with the outcome that decides it. */
export interface DecidedLeg extends IndexedOutcome {
  legId: string;
  /** The leg's order; {@link IndexedOutcome.orderId} is what the log names. */
  legOrderId: string;
  /** Of the request that placed the order. */
  correlationId: string | null;
  /** Whether the transaction is an attempt of this ledger. Somebody else with an operator's key sent any other. */
  isOwn: boolean;
  /**
   * `ends`: it is the outcome of this leg. `number used`: the leg's sequence number went to another order, account or amount, so that the leg
   * can never happen under it.
   */
  effect: 'ends' | 'number used';
}

/** An outcome of an open leg's message that does not decide the leg. */
export interface DisregardedOutcome extends IndexedOutcome {
  legId: string;
  /**
   * `foreign refusal`: somebody else with an operator's key had the message refused, which says nothing of the leg. `other amount`: the message
   * was redeemed with another amount than the leg's.
   */
  why: 'foreign refusal' | 'other amount';
}

/** A transaction in the block in which the index has it. */
export interface TransactionInBlock {
  txHash: string;
  blockNumber: bigint;
}

/** Which legs of one chain are compared with which outcomes, and how many are returned at most. */
export interface OutcomeFilter {
  chain: Chain;
  /**
   * SQL of a relation with the outcomes on the chain, in the columns of {@link IndexedOutcome} and `signature_refused`. The ledger does not
   * know where they come from.
   */
  outcomes: RawBuilder<unknown>;
  /** Newest block whose outcomes count. */
  upToBlock: bigint;
  /** Transactions in a block whose outcomes do not count. The same transaction in another block does. */
  except: readonly TransactionInBlock[];
  limit: number;
}

const outcomeColumns = sql`
  o.kind, o.tx_hash, o.block_number, o.token, o.order_id, o.account, o.amount::text as amount, o.sequence::text as sequence,
  o.message_hash, o.refused`;

/**
 * The order of the leg `l`, looked up for each leg. As a join, the planner may walk through all orders for it: statistics that were made before there was
 * an order of a kind say that there is hardly one.
 */
const orderOfLeg = sql`cross join lateral (select correlation_id, digest from orders where id = l.order_id limit 1) r`;

/** Token units of a leg. */
const legUnits = sql`l.amount * ${unitsPerMinorUnit}`;

/** By what the token contract issues once, and by what it burns once (docs/architecture.md, Exactly once): never by the order id alone. */
const issueOfLeg = sql`l.kind = 'issue' and o.kind = 'issue' and o.token = l.token and o.sequence = l.sequence`;
const redemptionOfLeg = sql`
  l.kind = 'redeem' and o.kind = 'redeem' and o.message_hash = r.digest and o.account = l.account and o.token = l.token`;

/** As the ledger's column and its index have it; null for a number beyond, which no leg has. */
const sequenceOfLeg = sql`case when o.sequence < 9223372036854775808 then o.sequence::bigint end`;

const isIssueAsLegSays = sql`o.order_id = l.order_id::text and o.account = l.account and o.amount = ${legUnits}`;
const isOwnAttempt = sql`exists (select from transaction_attempts a where a.hash = o.tx_hash)`;

/** A refusal for the leg's amount counts; one of the signature only from an own transaction, because others can send a false one. */
const isRefusalOfLeg = sql`o.amount = ${legUnits} and (not o.signature_refused or ${isOwnAttempt})`;
const decidesRedemption = sql`case when o.refused is null then o.amount = ${legUnits} else ${isRefusalOfLeg} end`;

/**
 * Finds sent legs that an outcome decides, each once: an issue by its sequence number, a redemption by its message. One that was tried again
 * after a refusal counts only outcomes that are newer than that. A burn goes before refusals of the same message.
 */
export async function findDecidedLegs(ledger: Ledger, filter: OutcomeFilter): Promise<DecidedLeg[]> {
  const { rows } = await sql<DecidedLeg>`
    select l.id as leg_id, l.order_id as leg_order_id, r.correlation_id, o.*
    from open_legs l ${orderOfLeg}
    cross join lateral (
      select ${outcomeColumns}, ${isOwnAttempt} as is_own, case when ${isIssueAsLegSays} then 'ends' else 'number used' end as effect
      from ${filter.outcomes} o where ${issueOfLeg} and ${isInReach(filter)}
      union all
      (select ${outcomeColumns}, ${isOwnAttempt}, 'ends'
      from ${filter.outcomes} o where ${redemptionOfLeg} and ${isInReach(filter)} and ${decidesRedemption}
      order by o.refused is not null, o.block_number limit 1)
    ) o
    where l.chain = ${filter.chain} and l.claim_state = 'sent' and l.kind in ('issue', 'redeem') limit ${filter.limit}
  `.execute(ledger);
  return rows;
}

/**
 * Finds as {@link findDecidedLegs}, but begins with the outcomes: `filter.outcomes` are those of some blocks. So it costs these outcomes, however many
 * legs are sent, and whatever the statistics say: each is looked up by itself. It misses an outcome of an earlier block that a leg is sent for only now, or that the index lacked then.
 */
export async function findLegsDecidedBy(ledger: Ledger, filter: OutcomeFilter): Promise<DecidedLeg[]> {
  const { rows } = await sql<DecidedLeg>`
    with outcomes as materialized (select o.*, ${sequenceOfLeg} as leg_sequence from ${filter.outcomes} o)
    (select l.id as leg_id, l.order_id as leg_order_id, r.correlation_id, ${outcomeColumns}, ${isOwnAttempt} as is_own,
      case when ${isIssueAsLegSays} then 'ends' else 'number used' end as effect
    from outcomes o
      cross join lateral (select * from open_legs where chain = ${filter.chain} and token = o.token and sequence = o.leg_sequence limit 1) l ${orderOfLeg}
    where l.state = 'sent' and ${issueOfLeg} and ${isInReach(filter)}
    limit ${filter.limit})
    union all
    (select distinct on (l.id) l.id, l.order_id, r.correlation_id, ${outcomeColumns}, ${isOwnAttempt}, 'ends'
    from outcomes o
      cross join lateral (
        select id, digest, correlation_id from orders where kind = 'redeem' and address = o.account and digest = o.message_hash limit 1) r
      cross join lateral (select * from open_legs where order_id = r.id and kind = 'redeem' limit 1) l
    where l.state = 'sent' and l.chain = ${filter.chain} and ${redemptionOfLeg} and ${isInReach(filter)} and ${decidesRedemption}
    order by l.id, o.refused is not null, o.block_number
    limit ${filter.limit})
  `.execute(ledger);
  return rows;
}

/** Finds outcomes of the messages of sent legs that do not decide them: for the operator, because somebody else sent them or the ledger errs. */
export async function findDisregardedOutcomes(ledger: Ledger, filter: OutcomeFilter): Promise<DisregardedOutcome[]> {
  const { rows } = await sql<DisregardedOutcome>`
    select l.id as leg_id, o.*
    from open_legs l ${orderOfLeg}
    cross join lateral (
      select ${outcomeColumns}, case when o.refused is null then 'other amount' else 'foreign refusal' end as why
      from ${filter.outcomes} o where ${redemptionOfLeg} and ${isInReach(filter)} and not (${decidesRedemption})
      limit 1
    ) o
    where l.chain = ${filter.chain} and l.claim_state = 'sent' and l.kind = 'redeem' limit ${filter.limit}
  `.execute(ledger);
  return rows;
}

/** SQL: whether a chain has legs whose outcome is awaited. */
export function hasSentLegs(chain: Chain): RawBuilder<boolean> {
  return sql<boolean>`exists (select from open_legs where chain = ${chain} and claim_state = 'sent' and kind in ('issue', 'redeem'))`;
}

/**
 * SQL of a relation: the legs of a chain that an outcome, confirmed or not, says are carried out though they have not ended. Its columns are
 * `kind`, `currency` and `amount` (minor units). Costs one lookup for each leg that has been in a transaction and is open.
 */
export function openLegsCarriedOut(chain: Chain, outcomes: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select l.kind, l.currency, l.amount
    from open_legs l cross join lateral (
      (select from ${outcomes} o where ${issueOfLeg} and ${isIssueAsLegSays} and o.refused is null limit 1)
      union all
      (select from (select digest from orders where l.kind = 'redeem' and id = l.order_id limit 1) r
      cross join lateral (select from ${outcomes} o where ${redemptionOfLeg} and o.amount = ${legUnits} and o.refused is null limit 1) o)
    ) o
    where l.chain = ${chain} and l.token is not null)`;
}

/**
 * SQL of a relation: the leg of a chain that was settled last, if any, in the columns `kind`, `token`, `account`, `sequence` (of an issue) and
 * `message_hash` (of a redemption).
 */
export function newestSettledLeg(chain: Chain): RawBuilder<unknown> {
  return sql`(
    select l.kind, l.token, l.account, l.sequence, r.digest as message_hash
    from leg_history l join orders r on r.id = l.order_id
    where l.chain = ${chain} and l.outcome = 'done' and l.block_number is not null order by l.block_number desc limit 1)`;
}

function isInReach({ upToBlock, except }: OutcomeFilter): RawBuilder<boolean> {
  const keys = except.map(({ txHash, blockNumber }) => `${txHash} ${blockNumber}`);
  return sql`
    o.block_number <= ${upToBlock} and o.block_number > coalesce(l.after_block, -1)
    and o.tx_hash || ' ' || o.block_number <> all(${keys}::text[])`;
}
