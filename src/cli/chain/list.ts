import { chainFacts, chains } from '../../platform/chains.ts';
import { networkDefaults } from '../../platform/settings.ts';
import { cliNetworks } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';

/** `mintrail chain list`. Throws `invalid_settings`. */
export function listChains(json: boolean): void {
  const { networks } = cliNetworks();
  const listed = chains.map((chain) => {
    const { name, id, currency, explorer, blockGas, isTestnet } = chainFacts(chain);
    const settings = networks[chain];
    const { confirmations, blockTimeSeconds, maxBatch } = settings ?? networkDefaults(chain);
    return {
      chain,
      name,
      chainId: id,
      isTestnet,
      currency: currency.symbol,
      explorer,
      blockGas,
      confirmations: String(confirmations),
      blockTime: blockTimeSeconds,
      maxBatch,
      configured: settings && { tokens: settings.tokens, endpoints: settings.rpcUrls.length, signers: settings.signers.length },
    };
  });
  if (json) return print(renderJson(listed));
  const rows = listed.map(({ chain, name, chainId, currency, confirmations, blockTime, maxBatch, configured }) => [
    chain,
    name,
    String(chainId),
    currency,
    confirmations,
    `${blockTime} s`,
    String(maxBatch),
    describe(configured),
  ]);
  print(renderTable(['network', 'name', 'chain id', 'gas in', 'confirmations', 'block time', 'batch', 'configured'], rows));
}

function describe(configured: { tokens: object; endpoints: number; signers: number } | undefined): string {
  if (!configured) return '';
  return `${Object.keys(configured.tokens).join(' ')}, ${configured.endpoints} RPC, ${configured.signers} signers`;
}
