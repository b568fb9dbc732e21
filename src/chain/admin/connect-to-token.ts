import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { StopError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { hasCode, readIfSupported } from '../contract.ts';
import { createRpc, type Rpc } from '../endpoints/rpc.ts';
import type { AdministeredToken } from '../token/administered-token.ts';
import { withAnsweringEndpoints } from './answering-endpoints.ts';

/** A client of the token's network. Throws `invalid_settings`, `rpc_unreachable`, `wrong_chain`, and `not_found` where there is another contract. */
export async function connectToToken(network: NetworkSettings, { address, currency }: AdministeredToken): Promise<Rpc> {
  const rpc = createRpc(await withAnsweringEndpoints(network));
  const letters = (await hasCode(rpc, address))
    ? await readIfSupported(rpc, () => rpc.readContract({ address, abi: eMoneyTokenAbi, functionName: 'currency' }))
    : undefined;
  if (letters === currency.toUpperCase()) return rpc;
  throw new StopError({ code: 'not_found', message: `There is no token of ${currency} at ${address} on ${network.chain}` });
}

/** The token of a currency that the settings name for a network. Throws `not_found`. */
export function tokenOf(network: NetworkSettings, currency: Currency): AdministeredToken {
  const address = network.tokens[currency];
  if (address) return { chain: network.chain, currency, address };
  throw new StopError({
    code: 'not_found',
    message: `${network.chain} has no token of ${currency}: set ${networkVariable(network.chain, 'tokens')} to ${currency}:0x…`,
  });
}
