import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** Genesis hash of every network that the ledger has been used with, by its name. */
export async function readGenesisHashes(ledger: Ledger): Promise<Map<string, string>> {
  const rows = await ledger.selectFrom('networks').select(['chain', 'genesisHash']).execute();
  return new Map(rows.map(({ chain, genesisHash }) => [chain, genesisHash]));
}

/** Records with which instance of a chain the ledger is used; what is recorded already stays. */
export async function recordGenesisHash(ledger: Ledger, network: { chain: Chain; chainId: bigint; genesisHash: string }): Promise<void> {
  await ledger
    .insertInto('networks')
    .values(network)
    .onConflict((conflict) => conflict.column('chain').doNothing())
    .execute();
}

/** Since when the ledger has been used with each network. */
export async function networksSince(ledger: Ledger): Promise<Map<Chain, Date>> {
  const rows = await ledger.selectFrom('networks').select(['chain', 'seenAt']).execute();
  return new Map(rows.map(({ chain, seenAt }) => [chain, seenAt]));
}

/** The newest block in which a leg on a network is known to be done; null when none is. */
export async function newestLegBlock(ledger: Ledger, chain: Chain): Promise<bigint | null> {
  const { newest } = await ledger
    .selectFrom('legHistory')
    .where('chain', '=', chain)
    .where('outcome', '=', sql.lit('done'))
    .select((select) => select.fn.max('blockNumber').as('newest'))
    .executeTakeFirstOrThrow();
  return newest;
}
