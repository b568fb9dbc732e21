import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** A part of the service that reports that it runs. */
export type Component = 'worker' | 'indexer' | 'common';

/** The last sign of life of a component, with its own observations. */
export interface Heartbeat {
  component: Component;
  /** Empty for the component `common`, which works for all networks. */
  chain: Chain | '';
  facts: Record<string, unknown>;
  /** Seconds since it was written, by the database's clock. */
  age: number;
}

/** Records that a component runs, and its observations. */
export async function recordHeartbeat(
  ledger: Ledger,
  component: Component,
  chain: Heartbeat['chain'],
  facts: Record<string, unknown>,
): Promise<void> {
  await ledger
    .insertInto('heartbeats')
    .values({ component, chain, facts: JSON.stringify(facts) })
    .onConflict((conflict) => conflict.columns(['component', 'chain']).doUpdateSet({ facts: JSON.stringify(facts), seenAt: sql`now()` }))
    .execute();
}

/** The last heartbeat of every component. */
export async function listHeartbeats(ledger: Ledger): Promise<Heartbeat[]> {
  return ledger
    .selectFrom('heartbeats')
    .select(['component', 'chain', 'facts', sql<number>`extract(epoch from now() - seen_at)::float8`.as('age')])
    .orderBy('component')
    .orderBy('chain')
    .execute() as Promise<Heartbeat[]>;
}
