import { sql } from 'kysely';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted } from '../most-counted.ts';

/** How many orders are in each state that is not final: of each at most {@link mostCounted} and one more, which says that there are further ones. */
export async function countOpenOrders(ledger: Ledger): Promise<Record<'placed' | 'pending', number>> {
  const { rows } = await sql<Record<'placed' | 'pending', number>>`select ${countOf('placed')}, ${countOf('pending')}`.execute(ledger);
  return rows[0] ?? { placed: 0, pending: 0 };
}

/** SQL of a column: how many orders are in the state. */
function countOf(state: 'placed' | 'pending') {
  const most = limitHiddenFromPlanner(mostCounted.open + 1);
  return sql`(select count(*)::int from (select from open_orders where state = ${sql.lit(state)} order by placed_at limit ${most}) o) as ${sql.ref(state)}`;
}
