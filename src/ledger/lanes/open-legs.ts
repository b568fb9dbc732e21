import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** Legs of one kind that are in one state on one network. */
export interface OpenLegs {
  /** Empty for legs of the bank. */
  chain: Chain | '';
  kind: string;
  state: string;
  count: number;
  /** Since when the oldest could be carried out, or while it waits, since when it exists; by the database's clock. */
  oldestSeconds: number;
}

/** Counts the legs that are not done, by network, kind and state. */
export async function countOpenLegs(ledger: Ledger): Promise<OpenLegs[]> {
  // State by state, because each has a partial index.
  const { rows } = await sql<OpenLegs>`
    select coalesce(chain, '') as chain, kind, state, count(*)::int as count, extract(epoch from now() - min(due_at))::int as "oldestSeconds"
    from (
      select chain, kind, state, due_at from legs where state = 'waiting'
      union all select chain, kind, state, due_at from legs where state = 'ready'
      union all select chain, kind, state, due_at from legs where state = 'sent'
    ) l
    group by chain, kind, state order by chain, kind, state
  `.execute(ledger);
  return rows;
}
