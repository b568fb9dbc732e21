import { newestLegBlock, readGenesisHashes, recordGenesisHash } from '../src/ledger/lanes/networks.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import { StopError } from '../src/platform/errors.ts';
import { chainIds } from '../src/platform/chains.ts';
import { chainsOf, type Instance } from './instance.ts';

/** The error of a stored ledger and stored chains that do not belong together. */
export function inconsistent(what: string): StopError {
  return new StopError({
    code: 'not_possible',
    message: `The stored ledger and the stored chains do not belong together: ${what}. Delete both and start again with \`npm start -- --fresh\``,
  });
}

/** A chain that was killed begins again at its last snapshot: as many blocks before its end as a reorganisation may replace. */
const replaceableBlocks = 16n;

/**
 * Compares the ledger with the chains that it is about to be used with, and records those that it does not know yet. `heads` has the newest
 * block of each chain. Throws `not_possible`.
 */
export async function checkConsistency(ledger: Ledger, instance: Instance, heads: ReadonlyMap<string, bigint>): Promise<void> {
  const recorded = await readGenesisHashes(ledger);
  // A ledger that knows some chains was filled by an older sandbox, which had fewer.
  if (recorded.size === 0 && instance.application) throw inconsistent('the ledger is empty, and the chains have a history');
  for (const chain of chainsOf(instance)) {
    const genesisHash = instance.networks[chain]?.genesis ?? '';
    if ((recorded.get(chain) ?? genesisHash) !== genesisHash)
      throw inconsistent(`the ledger belongs to another instance of the chain ${chain}`);
    await recordGenesisHash(ledger, { chain, chainId: BigInt(chainIds[chain]), genesisHash });
    const newest = await newestLegBlock(ledger, chain);
    const head = heads.get(chain) ?? 0n;
    if (newest !== null && newest > head + replaceableBlocks)
      throw inconsistent(`the ledger has seen block ${newest} of the chain ${chain}, which now ends at block ${head}`);
  }
}
