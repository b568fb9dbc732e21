import { chainFacts, chains } from '../../platform/chains.ts';
import { networkDefaults } from '../../platform/settings.ts';
import { cliNetworks } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';

/** `mintrail chain list`. */
export function listChains(json: boolean): void {
  const { networks } = cliNetworks();
  const listed = chains.map((chain) => {
    const { name, id, currency, explorer, blockGas, isTestnet } = chainFacts(chain);
    const set = networks[chain];
    const { confirmations, blockTimeSeconds, maxBatch } = set ?? networkDefaults(chain);
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
      configured: set && { tokens: set.tokens, endpoints: set.rpcUrls.length, signers: set.signers.length },
    };
  });
  if (json) return console.log(renderJson(listed));
  const rows = listed.map((one) => [
    one.chain,
    one.name,
    String(one.chainId),
    one.currency,
    one.confirmations,
    `${one.blockTime} s`,
    String(one.maxBatch),
    describe(one.configured),
  ]);
  console.log(renderTable(['network', 'name', 'chain id', 'gas in', 'confirmations', 'block time', 'batch', 'set'], rows));
}

function describe(set: { tokens: object; endpoints: number; signers: number } | undefined): string {
  if (!set) return '';
  return `${Object.keys(set.tokens).join(' ')}, ${set.endpoints} RPC, ${set.signers} signers`;
}
