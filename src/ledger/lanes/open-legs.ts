import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { legAgesSeconds } from '../../platform/metrics/order-metrics.ts';
import type { Ledger } from '../ledger.ts';
import { mostCountedHeldLegs } from './profile-gas.ts';

/** Legs of one kind that are in one state on one network. */
export interface OpenLegs {
  /** Empty for legs of the bank. */
  chain: Chain | '';
  kind: string;
  /** `held` for ready legs that wait for midnight, because of a gas budget. */
  state: 'waiting' | 'ready' | 'held' | 'sent';
  /** Of held legs at most {@link mostCountedHeldLegs} of a network are counted. */
  count: number;
  /** How many of them could be carried out for longer than so many seconds: {@link legAgesSeconds}, in their order. */
  older: number[];
  /** Since when the oldest could be carried out, or while it waits, since when it exists; by the database's clock. */
  oldestSeconds: number;
}

/**
 * SQL: these columns of the ready legs that no gas budget holds. Read from three partial indexes (migration 0012) without held legs, of which there may be any number:
 * those that a lane may claim, those that one has claimed, and those that have reverted too often.
 */
export function readyLegs(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  const isDue = sql`state = 'ready' and held_until is null`;
  return sql`(
    select ${columns} from legs where ${isDue} and claimed_by is null and lone_reverts < 3
    union all select ${columns} from legs where ${isDue} and claimed_by is not null
    union all select ${columns} from legs where ${isDue} and claimed_by is null and lone_reverts >= 3)`;
}

/** SQL: how many of the rows are older than each of the ages. A subquery without a row's columns is calculated once. */
const older = sql`array[${sql.join(
  legAgesSeconds.map((seconds) => sql`(count(*) filter (where due_at < (select now() - make_interval(secs => ${sql.lit(seconds)}))))::int`),
)}]`;

const isHeld = sql`state = 'ready' and held_until is not null`;

/** Counts the legs that are not done, by network, kind and state. */
export async function countOpenLegs(ledger: Ledger): Promise<OpenLegs[]> {
  // State by state, because each has a partial index, and rows of one state need no sorting with others. The networks with held legs are found by an index lookup each.
  const { rows } = await sql<OpenLegs>`
    with recursive networks (chain) as (
      (select chain from legs where ${isHeld} order by chain limit 1)
      union all
      select (select chain from legs where ${isHeld} and chain > n.chain order by chain limit 1) from networks n where n.chain is not null
    )
    select coalesce(chain, '') as chain, kind, state, count, older, extract(epoch from now() - oldest)::int as "oldestSeconds"
    from (
      select chain, kind, 'waiting' as state, count(*)::int as count, min(due_at) as oldest, ${older} as older from legs where state = 'waiting' group by chain, kind
      union all
      select chain, kind, 'ready', count(*)::int, min(due_at), ${older} from ${readyLegs(sql`chain, kind, due_at`)} r group by chain, kind
      union all
      select h.chain, h.kind, 'held', count(*)::int, min(h.due_at), ${older} from networks n cross join lateral (
        select chain, kind, due_at from legs where ${isHeld} and chain = n.chain order by held_until limit ${mostCountedHeldLegs}) h
      group by h.chain, h.kind
      union all
      select chain, kind, 'sent', count(*)::int, min(due_at), ${older} from legs where state = 'sent' group by chain, kind
    ) l
    order by chain, kind, state
  `.execute(ledger);
  return rows;
}
