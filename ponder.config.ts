import { createConfig } from 'ponder';
import { eMoneyTokenAbi } from './abis/eMoneyToken.ts';
import { asChain, chainIds } from './src/platform/chains.ts';
import { loadSettings, networkSettings } from './src/platform/settings.ts';

const chain = asChain(process.env.INDEXER_CHAIN ?? '');
const network = networkSettings(loadSettings(), chain);

/** A local chain names its instance; it can begin anew under the same id and addresses. */
const isLocal = network.GENESIS !== '';

/** Ponder's limiter begins at 20 requests a second for each endpoint it is given, too few to catch up with an own node. */
const timesListed = isLocal ? 20 : 1;

const rpc = network.RPC_URLS.filter((url) => url.startsWith('http'));

export default createConfig({
  ordering: 'multichain',
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL as string },
  chains: {
    network: {
      id: chainIds[chain],
      rpc: Array<string[]>(timesListed).fill(rpc).flat(),
      // An outcome waits half an interval on average; a tenth of a block is not noticed.
      pollingInterval: Math.min(Math.max(network.BLOCK_TIME * 100, 100), 1000),
      disableCache: isLocal,
    },
  },
  contracts: {
    EMoneyToken: {
      abi: eMoneyTokenAbi,
      chain: 'network',
      address: Object.values(network.TOKENS),
      startBlock: network.START_BLOCK,
    },
  },
});
