import { hasCode } from '../../chain/contract.ts';
import { create2Factory } from '../../chain/deploy/create2.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import { chainFacts } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';

/** Throws `not_possible` where the factory is missing through which contracts are deployed. The endpoints are known to serve the right chain. */
export async function requireFactory(rpc: Rpc, { chain, rpcUrls }: Pick<NetworkSettings, 'chain' | 'rpcUrls'>): Promise<void> {
  if (await hasCode(rpc, create2Factory)) return;
  const { name, id } = chainFacts(chain);
  throw new StopError({
    code: 'not_possible',
    message: `${name} has no contract at ${create2Factory}, the factory through which the contracts of Safe and of Mintrail are deployed. The endpoint ${withoutUrlSecrets(rpcUrls[0] ?? '')}, which serves chain id ${id}, says so. On a local chain run mintrail safe create first, which deploys it; elsewhere ask another endpoint of this chain`,
  });
}
