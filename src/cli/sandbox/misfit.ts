import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { chainIdOf, type Instance, sandboxChains } from './instance.ts';

/** The error of a ledger and a chain that do not belong together. */
export function misfit(what: string): StopError {
  return new StopError({
    code: 'sandbox_state_mismatch',
    message: `The stored ledger and the stored chains no longer fit together: ${what}. Begin anew with \`npm start -- --fresh\``,
  });
}

/** Compares the ledger with the chains it is about to be used with; notes them where it has none yet. Throws `sandbox_state_mismatch`. */
export async function checkFit(ledger: Ledger, instance: Instance, heads: ReadonlyMap<string, bigint>): Promise<void> {
  const known = new Map((await ledger.selectFrom('networks').selectAll().execute()).map((row) => [row.chain, row.genesisHash]));
  for (const chain of sandboxChains) {
    const genesis = instance.networks[chain]?.genesis ?? '';
    const stored = known.get(chain);
    // A chain that the ledger alone lacks is one that an older sandbox did not have yet.
    if (known.size === 0 && instance.application) throw misfit(`the ledger is empty, and the chain ${chain} has a history`);
    if (stored !== undefined && stored !== genesis) throw misfit(`the ledger belongs to another instance of the chain ${chain}`);
    await ledger
      .insertInto('networks')
      .values({ chain, chainId: BigInt(chainIdOf(chain)), genesisHash: genesis })
      .onConflict((conflict) => conflict.column('chain').doNothing())
      .execute();
    const { newest } = await ledger
      .selectFrom('legs')
      .where('chain', '=', chain)
      .where('state', '=', 'done')
      .select((select) => select.fn.max('blockNumber').as('newest'))
      .executeTakeFirstOrThrow();
    const head = heads.get(chain) ?? 0n;
    if (newest !== null && newest > head)
      throw misfit(`the ledger has seen block ${newest} of the chain ${chain}, which now ends at block ${head}`);
  }
}
