import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** What an order of a profile may have cost, as it was sent: an upper bound, in wei of the gas currency of the network. */
export interface GasSpending {
  profile: string;
  wei: bigint;
}

/** What orders take from the budgets of their profiles, and the time by which it is counted. */
export interface SpentBudget {
  spent: readonly GasSpending[];
  at: Date;
}

/** What orders of profiles may have cost on a network on a day of UTC, in wei by profile; those that had none sent are not in it. Costs a lookup for each profile. */
export async function readGasSpending(ledger: Ledger, chain: Chain, profiles: readonly string[], at: Date): Promise<Map<string, bigint>> {
  const rows = await ledger
    .selectFrom('gasSpending')
    .where('chain', '=', chain)
    .where('profile', 'in', [...new Set(profiles)])
    .where('day', '=', dayOf(at))
    .select(['profile', 'wei'])
    .execute();
  return new Map(rows.map(({ profile, wei }) => [profile, BigInt(wei)]));
}

/**
 * SQL of a statement: adds what orders of profiles may cost to their day, a day of UTC, if a condition holds. An earlier day is forgotten: a profile has one row,
 * however long it is a customer.
 */
export function addGasSpending(chain: Chain, budget: SpentBudget | undefined, condition: RawBuilder<boolean>): RawBuilder<unknown> {
  const { spent, at } = budget ?? { spent: [], at: new Date() };
  const input = JSON.stringify(spent.map(({ profile, wei }) => ({ profile, wei: wei.toString() })));
  return sql`
    insert into gas_spending as g (chain, profile, day, wei)
    select ${chain}, profile, ${dayOf(at)}::date, sum(wei)
    from jsonb_to_recordset(${input}::jsonb) as u (profile uuid, wei numeric) where ${condition} group by profile order by profile
    on conflict (chain, profile) do update set
      wei = case when g.day = excluded.day then g.wei + excluded.wei else excluded.wei end, day = excluded.day`;
}

/** Lets the budget of a profile begin anew on a network. */
export async function forgetGasSpending(tx: LedgerTransaction, chain: Chain, profile: string): Promise<void> {
  await tx.deleteFrom('gasSpending').where('chain', '=', chain).where('profile', '=', profile).execute();
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
