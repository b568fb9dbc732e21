import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** What an order of a profile may have cost, as it was sent: an upper bound, in wei of the gas currency of the network. */
export interface GasSpending {
  profile: string;
  wei: bigint;
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

/** Adds what orders of profiles may cost to their day, a day of UTC. An earlier day is forgotten: a profile has one row, however long it is a customer. */
export async function addGasSpending(tx: LedgerTransaction, chain: Chain, spent: readonly GasSpending[], at: Date): Promise<void> {
  if (spent.length === 0) return;
  const input = JSON.stringify(spent.map(({ profile, wei }) => ({ profile, wei: wei.toString() })));
  await sql`
    insert into gas_spending as g (chain, profile, day, wei)
    select ${chain}, profile, ${dayOf(at)}::date, sum(wei)
    from jsonb_to_recordset(${input}::jsonb) as u (profile uuid, wei numeric) group by profile order by profile
    on conflict (chain, profile) do update set
      wei = case when g.day = excluded.day then g.wei + excluded.wei else excluded.wei end, day = excluded.day
  `.execute(tx);
}

/** Lets the budget of a profile begin anew on a network. */
export async function forgetGasSpending(tx: LedgerTransaction, chain: Chain, profile: string): Promise<void> {
  await tx.deleteFrom('gasSpending').where('chain', '=', chain).where('profile', '=', profile).execute();
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
