import { hasCode } from '../../chain/contract.ts';
import { create2Factory } from '../../chain/deploy/create2.ts';
import type { Rpc } from '../../chain/rpc.ts';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';

/** Throws `no_factory` where the factory is missing through which contracts are deployed. */
export async function requireFactory(rpc: Rpc, chain: Chain): Promise<void> {
  if (await hasCode(rpc, create2Factory)) return;
  throw new StopError({
    code: 'no_factory',
    message: `The factory ${create2Factory}, which deploys Safes, is missing: this endpoint does not serve ${chainFacts(chain).name}`,
  });
}
