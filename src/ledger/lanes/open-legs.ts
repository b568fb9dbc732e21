import { type RawBuilder, sql } from 'kysely';
import { type Chain, chains } from '../../platform/chains.ts';
import { legAgesSeconds } from '../../platform/metrics/order-metrics.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted } from '../most-counted.ts';

/** Legs of one kind that are in one state on one network. */
export interface OpenLegs {
  /** Empty for legs of the bank. */
  chain: Chain | '';
  kind: string;
  /** Of ready legs `held` for those that a gas budget holds until midnight, and `dust` for those that wait to share a transaction. */
  state: 'waiting' | 'ready' | 'held' | 'dust' | 'sent';
  /** At most {@link mostCounted}. The oldest are counted, of those that are held any. */
  count: number;
  /** Whether there are more than were counted. */
  isMore: boolean;
  /** How many of those counted could be carried out for longer than so many seconds: {@link legAgesSeconds}, in their order. */
  older: number[];
  /** Since when the oldest could be carried out, or while it waits, since when it exists; by the database's clock. */
  oldestSeconds: number;
}

/** SQL: the kinds of legs on chain, each with who signed them: the columns before the state in the index of open legs (src/schema/lanes.sql). */
export const kindsOnChain = sql`(values ('issue', 'nobody'), ('redeem', 'key'), ('redeem', 'contract')) g (kind, signed_by)`;

const kindsOfBank = sql`(values ('payout', 'nobody'), ('return', 'nobody')) g (kind, signed_by)`;

/** SQL: how many of the rows are older than each of the ages. A subquery without a row's columns is calculated once. */
const older = sql`array[${sql.join(
  legAgesSeconds.map((seconds) => sql`(count(*) filter (where due_at < (select now() - make_interval(secs => ${sql.lit(seconds)}))))::int`),
)}]`;

const summary = sql`count(*)::int as count, min(due_at) as oldest, ${older} as older`;

/** Counts the legs that are not done, by network, kind and state. Costs the same with any number of them. */
export async function countOpenLegs(ledger: Ledger): Promise<OpenLegs[]> {
  const { rows } = await sql<Omit<OpenLegs, 'isMore'>>`
    select coalesce(chain, '') as chain, kind, state, count, older, extract(epoch from now() - oldest)::int as "oldestSeconds"
    from (
      select n.chain, g.kind, l.* from unnest(${chains}::text[]) n (chain) cross join ${kindsOnChain}
      cross join lateral (${countOfStates(sql`chain = n.chain`)}) l
      union all
      select null, g.kind, l.* from ${kindsOfBank} cross join lateral (${countOfStates(sql`chain is null`)}) l
      union all
      select n.chain, h.kind, r.state, ${summary} from unnest(${chains}::text[]) n (chain)
      cross join (values ('gas_budget', 'held'), ('dust', 'dust')) r (reason, state) cross join lateral (
        select kind, due_at from open_legs where chain = n.chain and claim_state = 'held' and held_for = r.reason
        order by currency, held_until limit ${mostCounted.open + 1}) h
      group by n.chain, h.kind, r.state
    ) l
    where count > 0
    order by chain, kind, state
  `.execute(ledger);
  return merge(rows).map((legs) =>
    Object.assign(legs, { count: Math.min(legs.count, mostCounted.open), isMore: legs.count > mostCounted.open }),
  );
}

/** SQL: the number and the age of the oldest legs in each state, of the kind `g` where `isThere`. */
function countOfStates(isThere: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select s.state, o.* from (values ('waiting'), ('ready'), ('sent')) s (state) cross join lateral (
      select ${summary} from (
        select due_at from open_legs where ${isThere} and kind = g.kind and signed_by = g.signed_by and state = s.state and held_until is null
        order by due_at limit ${mostCounted.open + 1}) l) o`;
}

type Counted = Omit<OpenLegs, 'isMore'>;

/** Redemptions are counted apart by who signed them. */
function merge(rows: readonly Counted[]): Counted[] {
  const merged: Counted[] = [];
  for (const row of rows) {
    const last = merged.at(-1);
    if (last?.chain !== row.chain || last.kind !== row.kind || last.state !== row.state) {
      merged.push({ ...row });
      continue;
    }
    last.count += row.count;
    last.older = last.older.map((count, index) => count + (row.older[index] ?? 0));
    last.oldestSeconds = Math.max(last.oldestSeconds, row.oldestSeconds);
  }
  return merged;
}
