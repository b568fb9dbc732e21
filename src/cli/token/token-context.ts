import type { AdministeredToken } from '../../chain/admin/admin-call.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { hasCode, readIfSupported } from '../../chain/contract.ts';
import { createRpc, type Rpc } from '../../chain/rpc.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { type NetworkSettings, networkSettings, networkVariable } from '../../platform/settings.ts';
import { cliNetworks, type NetworkEnvironment } from '../cli-settings.ts';
import { withAnsweringEndpoints } from './answering-endpoints.ts';

/** A token of this machine's settings, and its network. */
export interface TokenContext extends Pick<NetworkEnvironment, 'environment' | 'variables'> {
  network: NetworkSettings;
  token: AdministeredToken;
}

/** The token that the settings of this machine name. Throws `network_not_configured` and `no_token`. */
export function configuredToken(chain: Chain, currency: Currency): TokenContext {
  const { networks, environment, variables } = cliNetworks();
  const network = networkSettings({ networks }, chain);
  const address = network.tokens[currency];
  if (address) return { network, environment, variables, token: { chain, currency, address } };
  throw new StopError({
    code: 'no_token',
    message: `${chain} has no token of ${currency}: set ${networkVariable(chain, 'tokens')} to ${currency}:0x…`,
  });
}

/** A client of the token's network. Throws `rpc_not_configured`, `rpc_unreachable`, `wrong_chain`, and `no_token` where there is another contract. */
export async function connectToToken({ network, token: { address, currency } }: TokenContext): Promise<Rpc> {
  const rpc = createRpc(await withAnsweringEndpoints(network));
  const letters = (await hasCode(rpc, address))
    ? await readIfSupported(rpc, () => rpc.readContract({ address, abi: eMoneyTokenAbi, functionName: 'currency' }))
    : undefined;
  if (letters === currency.toUpperCase()) return rpc;
  throw new StopError({ code: 'no_token', message: `There is no token of ${currency} at ${address} on ${network.chain}` });
}
