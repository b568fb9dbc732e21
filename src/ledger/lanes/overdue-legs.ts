import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted } from '../most-counted.ts';
import { kindsOnChain } from './open-legs.ts';
import { turnSince, waitsForItsOwn } from './account-waits.ts';

/** Within how many seconds something on a network happens when all is well. */
export interface ChainBound {
  chain: Chain;
  seconds: number;
  /** The same in blocks. */
  blocks: number;
}

/** Legs of one kind on one network that are older than its bound. */
export interface OverdueLegs {
  chain: Chain;
  kind: 'issue' | 'redeem';
  /** At most {@link mostCounted} and one more, which says that there are further ones. */
  count: number;
  /** Since when the oldest could be carried out. */
  since: Date;
  /** The order of the oldest. */
  orderId: string;
  /** The state of the oldest. */
  state: 'ready' | 'sent';
}

/**
 * The legs on chain that could be carried out for longer than their network's bound, by network and kind, the oldest first. Those that a gas
 * budget holds are not, nor ready ones whose account's backoff runs or which wait for another of their account: they are to wait. A sent leg
 * waits for nothing but its outcome, and a backoff that no lane has begun, because no block is known, excuses nothing. Of each state only the oldest
 * are looked at, so that it costs the same with any number of them.
 */
export async function overdueLegs(ledger: Ledger, bounds: readonly ChainBound[]): Promise<OverdueLegs[]> {
  const most = mostCounted.overdue + 1;
  const mayWait = sql`(g.signed_by = 'contract' and t.state = 'ready')`;
  // Legs of contract accounts by themselves: no other row is compared with what they wait for. The others are counted in the index alone.
  const { rows } = await sql<Omit<OverdueLegs, 'orderId' | 'state'> & { oldest: Pick<OverdueLegs, 'orderId' | 'state'> }>`
    select b.chain, g.kind, least(sum(s.count), ${most}::int)::int as count, min(s.since) as since, (array_agg(s.oldest order by s.since))[1] as oldest
    from ${boundsTable(bounds)} cross join ${kindsOnChain} cross join (values ('ready'), ('sent')) t (state) cross join lateral (
      select count, since, case when count > 0 then (${oldest(sql`json_build_object('orderId', order_id, 'state', state)`, 1)}) end as oldest
      from (select count(*)::int as count, min(due_at) as since from (${oldest(sql`due_at`, most)}) l where not ${mayWait}) l
      union all
      select count(*)::int, min(l.since), (array_agg(json_build_object('orderId', l.order_id, 'state', l.state) order by l.since))[1] from (
        select l.chain, l.account, l.order_id, l.state, greatest(l.due_at, ${turnSince}) as since
        from (${oldest(sql`chain, account, order_id, state, due_at`, most)}) l where ${mayWait} offset 0) l
      where l.since < now() - make_interval(secs => b.seconds) and not (${waitsForItsOwn} or exists (
        select from account_backoffs a where a.chain = l.chain and a.account = l.account and a.until_block + b.blocks >
          (select max((facts ->> 'head')::bigint) from heartbeats h where h.component = 'worker' and h.chain = l.chain)))
    ) s
    where s.count > 0
    group by b.chain, g.kind order by min(s.since)
  `.execute(ledger);
  return rows.map(({ oldest, ...row }) => Object.assign(row, oldest));
}

/** SQL: the oldest legs that are overdue by the bound `b`, of the kind `g` and in the state `t`. */
function oldest(columns: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  return sql`
    select ${columns} from open_legs
    where chain = b.chain and kind = g.kind and signed_by = g.signed_by and state = t.state and held_until is null and due_at < now() - make_interval(secs => b.seconds)
    order by due_at limit ${limit}`;
}

/** Transactions of one lane that are in no block for longer than the network's bound. */
export interface UnminedTransactions {
  chain: Chain;
  signer: LowerAddress;
  count: number;
  /** When the oldest was recorded. */
  since: Date;
  /** The lowest nonce among them: it holds up all others. */
  nonce: bigint;
}

/** The transactions that are in no block for longer than their network's bound, by lane, the oldest first. */
export async function unminedTransactions(ledger: Ledger, bounds: readonly ChainBound[]): Promise<UnminedTransactions[]> {
  const { rows } = await sql<UnminedTransactions>`
    select t.chain, t.signer, count(*)::int as count, min(t.created_at) as since, min(t.nonce) as nonce
    from transactions t join ${boundsTable(bounds)} on b.chain = t.chain
    where t.state = 'sent' and t.created_at < now() - make_interval(secs => b.seconds)
    group by t.chain, t.signer order by min(t.created_at)
  `.execute(ledger);
  return rows;
}

function boundsTable(bounds: readonly ChainBound[]) {
  const columns = [bounds.map(({ chain }) => chain), bounds.map(({ seconds }) => seconds), bounds.map(({ blocks }) => blocks)] as const;
  return sql`unnest(${columns[0]}::text[], ${columns[1]}::float8[], ${columns[2]}::bigint[]) as b (chain, seconds, blocks)`;
}
