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
  /** Age of the oldest, by the database's clock. */
  oldestSeconds: number;
}

/** Counts the legs that are not done, by network, kind and state. */
export async function countOpenLegs(ledger: Ledger): Promise<OpenLegs[]> {
  return ledger
    .selectFrom('legs')
    .where('state', 'in', ['waiting', 'ready', 'sent'])
    .groupBy(['chain', 'kind', 'state'])
    .select(['kind', 'state', sql<Chain | ''>`coalesce(chain, '')`.as('chain')])
    .select([sql<number>`count(*)::int`.as('count'), sql<number>`extract(epoch from now() - min(created_at))::int`.as('oldestSeconds')])
    .orderBy('chain')
    .execute();
}
