import { type QueryExecutorProvider, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';

/** Damage of an index, found by comparing it with the chain or with itself. */
export interface IndexDamage {
  /** What is wrong, for the operator. */
  text: string;
  /** Whether balances cannot be trusted. */
  holdsBalances: boolean;
}

/** The rebuild of a damaged index that is under way, or was the last. */
export interface IndexRebuild {
  /** Counts the rebuilds of this index; the schema of the rebuilt tables has it in its name. */
  number: number;
  damage: string;
  foundAt: Date;
  /** Whether the rebuilt tables have taken the place of the damaged ones. */
  isOver: boolean;
  /** Whether the pause before it is over. */
  isDue: boolean;
}

/** Rebuilds in a row that begin at once. What needs more is not cured by them. */
const promptRebuilds = 3;

/**
 * Asks for the rebuild of an index, unless one is under way. The first three within an hour of each other begin at once, the others after pauses that double from a
 * minute up to an hour. Returns whether it is new.
 */
export async function requestRebuild(
  ledger: QueryExecutorProvider,
  { chain, indexName, damage }: { chain: Chain; indexName: string; damage: IndexDamage },
): Promise<boolean> {
  const { rows } = await sql`
    insert into index_rebuilds as r (chain, index_name, damage, holds_balances)
    values (${chain}, ${indexName}, ${damage.text}, ${damage.holdsBalances})
    on conflict (chain) do update set
      index_name = excluded.index_name, damage = excluded.damage, holds_balances = excluded.holds_balances, found_at = now(), ended_at = null,
      number = case when r.index_name = excluded.index_name then r.number + 1 else 1 end,
      in_a_row = case when r.ended_at > now() - interval '1 hour' then r.in_a_row + 1 else 1 end
    where r.ended_at is not null or r.index_name <> excluded.index_name
    returning r.chain`.execute(ledger);
  return rows.length > 0;
}

/** The newest rebuild of an index; undefined when it has never been rebuilt. */
export async function readRebuild(ledger: QueryExecutorProvider, chain: Chain, indexName: string): Promise<IndexRebuild | undefined> {
  const pause = sql`case when in_a_row <= ${promptRebuilds} then 0 else least(60 * 2 ^ (in_a_row - ${promptRebuilds + 1}), 3600) end`;
  const { rows } = await sql<IndexRebuild>`
    select number, damage, found_at as "foundAt", ended_at is not null as "isOver",
      found_at + make_interval(secs => ${pause}) <= now() as "isDue"
    from index_rebuilds where chain = ${chain} and index_name = ${indexName}`.execute(ledger);
  return rows[0];
}

/** Records that the rebuilt tables have taken the place of the damaged ones. */
export async function endRebuild(ledger: QueryExecutorProvider, chain: Chain, { number }: Pick<IndexRebuild, 'number'>): Promise<void> {
  await sql`update index_rebuilds set ended_at = now() where chain = ${chain} and number = ${number} and ended_at is null`.execute(ledger);
}

/** The number of the tables that are read: while a rebuild is under way, still that of the damaged ones. 0 before the first rebuild. */
export function readNumber(last: IndexRebuild | undefined): number {
  return last === undefined ? 0 : last.number - (last.isOver ? 0 : 1);
}
