import type { Address } from 'viem';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { readSafe } from '../../chain/safe-account.ts';
import { addressUrl, type Chain, chainFacts } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { loadNetwork } from '../../platform/settings.ts';
import { cliNetworks } from '../cli-settings.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withAnsweringEndpoints } from '../../chain/admin/answering-endpoints.ts';

/** Options of `mintrail safe show`. */
export interface ShowSafeOptions {
  chain: Chain;
  json?: boolean;
}

/** `mintrail safe show`. Throws `not_found`, `wrong_chain` and `rpc_unreachable`. */
export async function showSafe(address: Address, { chain, json = false }: ShowSafeOptions): Promise<void> {
  const network = cliNetworks().networks[chain] ?? loadNetwork(chain);
  const safe = await translateRpcErrors(async () => readSafe(createRpc(await withAnsweringEndpoints(network)), address));
  if (!safe) throw new StopError({ code: 'not_found', message: `There is no Safe at ${address} on ${chainFacts(chain).name}` });
  const { version, threshold, owners, nonce } = safe;
  if (json) return print(renderJson({ chain, safe: address, ...safe }));
  print(
    [
      `Safe       ${address}, version ${version}`,
      addressUrl(chain, address),
      `threshold  ${threshold} of ${owners.length} must sign`,
      ...owners.map((owner) => `owner      ${owner}`),
      `nonce      ${nonce}, of its next transaction`,
    ].join('\n'),
  );
}
