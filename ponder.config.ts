import { createConfig } from 'ponder';
import { eMoneyTokenAbi } from './abis/eMoneyToken.ts';
import { readIndexedNetwork } from './src/indexed/indexed-network.ts';

const { chainId, rpc, ws, pollingInterval, isLocal, tokens, startBlock } = readIndexedNetwork();

/** Ponder's limiter begins at 20 requests a second for each address it is given, too few to catch up with an own node. */
const timesListed = isLocal ? 20 : 1;

export default createConfig({
  ordering: 'multichain',
  database: {
    kind: 'postgres',
    connectionString: process.env.DATABASE_URL as string,
    poolConfig: {
      // Longer than the time between two blocks of most networks, each of which would open its connections anew.
      idleTimeoutMillis: 60_000,
      // Ponder keeps two of them to itself. Whatever readers ask for, no more than two queries of theirs run on the ledger's PostgreSQL.
      ...(process.env.SERVES_READERS ? { max: 4 } : {}),
    },
  },
  chains: {
    network: {
      id: chainId,
      rpc: Array<string>(timesListed).fill(rpc),
      ...(ws === undefined ? {} : { ws }),
      pollingInterval,
      disableCache: isLocal,
    },
  },
  contracts: {
    EMoneyToken: { abi: eMoneyTokenAbi, chain: 'network', address: tokens, startBlock },
  },
});
