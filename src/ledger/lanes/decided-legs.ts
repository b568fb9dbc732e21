import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { LegOutcome } from '../orders/lifecycle.ts';

/** A sent leg whose outcome the chain's log shows. */
export interface DecidedLeg extends LegOutcome {
  /** Whether the chain moved what the leg says: its amount, its token, its account. */
  agrees: boolean;
}

/** Which legs of one chain are compared with which outcomes, and how many are returned at most. */
export interface DecidedLegsFilter {
  chain: Chain;
  /** Token contract of each currency on the chain. */
  tokens: Partial<Record<Currency, string>>;
  /**
   * SQL of a relation with the outcomes on the chain, in the columns `order_id` (text), `kind`, `tx_hash`, `token`, `account`,
   * `amount` (token units), `block_number` and `refused`. The ledger does not know where they come from.
   */
  outcomes: RawBuilder<unknown>;
  /** Newest block whose outcomes count. */
  upToBlock: bigint;
  limit: number;
}

/** Sent legs that have an outcome. One that was tried again after a refusal counts only outcomes that are newer than that. */
export async function findDecidedLegs(ledger: Ledger, filter: DecidedLegsFilter): Promise<DecidedLeg[]> {
  const { chain, tokens, outcomes, upToBlock, limit } = filter;
  const { rows } = await sql<DecidedLeg>`
    select l.id as leg_id, o.tx_hash, o.block_number, o.refused,
      o.amount = l.amount * 1e16::numeric and o.account = l.account and o.token = ${JSON.stringify(tokens)}::jsonb ->> l.currency as agrees
    from legs l join ${outcomes} o on o.order_id = l.order_id::text and o.kind = l.kind
    where l.chain = ${chain} and l.state = 'sent' and o.block_number <= ${upToBlock} and o.block_number > coalesce(l.after_block, -1)
    limit ${limit}
  `.execute(ledger);
  return rows;
}

/** SQL of a relation: the leg of a chain that was settled last, if any, in the columns `order_id` (text) and `kind`. */
export function newestSettledLeg(chain: Chain): RawBuilder<unknown> {
  return sql`(
    select order_id::text as order_id, kind from legs
    where chain = ${chain} and state = 'done' and block_number is not null order by block_number desc limit 1)`;
}
