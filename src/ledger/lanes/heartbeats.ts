import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { version } from '../../platform/process/version.ts';
import type { Ledger } from '../ledger.ts';

/** A part of the service that reports that it runs; `upstream` is the live network of a sandbox's fork. */
export type Component = 'worker' | 'indexer' | 'common' | 'upstream' | 'api';

/** The last sign of life of a component, with its own observations. */
export interface Heartbeat {
  component: Component;
  /** Empty for the components `common` and `api`, which work for all networks. */
  chain: Chain | '';
  facts: Record<string, unknown>;
  /** Seconds since it was written, by the database's clock. */
  age: number;
  /** The same for all components of one process. */
  process: string;
}

const processId = randomUUID();

/** Names a copy of a component that runs in this process: no two are equal. */
export function newInstance(): string {
  return `${processId} ${randomUUID()}`;
}

/** Seconds without a heartbeat after which a component counts as silent. It writes one every four or five; load may delay two. */
export const silentAfterSeconds = 15;

/** A component, its observations, and which of its copies made them. */
export interface NewHeartbeat extends Omit<Heartbeat, 'age' | 'process'> {
  /** Differs between two copies, such as a worker and its hot spare, and between two runs: {@link newInstance}. */
  instance: string;
}

/** Records that a component runs, and its observations. What copies that are gone have left is deleted. */
export async function recordHeartbeat(ledger: Ledger, { component, chain, instance, facts }: NewHeartbeat): Promise<void> {
  await sql`
    with gone as (
      delete from heartbeats where component = ${component} and chain = ${chain} and instance <> ${instance}
        and seen_at < now() - make_interval(secs => ${4 * silentAfterSeconds})
    )
    insert into heartbeats (component, chain, instance, version, facts) values (${component}, ${chain}, ${instance}, ${version}, ${JSON.stringify(facts)})
    on conflict (component, chain, instance) do update set version = excluded.version, facts = excluded.facts, seen_at = now()
  `.execute(ledger);
}

/** Whether a common worker that could make payments has written a heartbeat within so many seconds. */
export async function hasPayingWorker(ledger: Ledger, withinSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    select from heartbeats
    where component = 'common' and facts->'canPay' = 'true' and seen_at > now() - make_interval(secs => ${withinSeconds})
    limit 1
  `.execute(ledger);
  return rows.length > 0;
}

/** The last heartbeat of every copy of a component that is not silent, and of a component without such a copy the newest one. */
export async function listHeartbeats(ledger: Ledger): Promise<Heartbeat[]> {
  const { rows } = await sql<Heartbeat>`
    select component, chain, facts, age, split_part(instance, ' ', 1) as process from (
      select component, chain, facts, instance, extract(epoch from now() - seen_at)::float8 as age,
        row_number() over (partition by component, chain order by seen_at desc) as rank
      from heartbeats
    ) h
    where rank = 1 or age < ${silentAfterSeconds}
    order by component, chain, rank
  `.execute(ledger);
  return rows;
}
