import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { indexedNetworkEnvironment } from '../../../src/indexed/indexed-network.ts';
import { loadNetwork } from '../../../src/platform/settings.ts';

const modules = new URL('../../../src/workers/indexer/ponder-modules.ts', import.meta.url).href;
const ponder = new URL('.', import.meta.resolve('ponder')).href;

/** As Ponder looks up the network that it indexes, in its `build/config.js`. */
const lookUp = `
  const { replaceModules } = await import('${modules}');
  replaceModules();
  const { chains } = await import('${ponder}utils/chains.js');
  const { getFinalityBlockCount } = await import('${ponder}utils/finality.js');
  const known = Object.values(chains);
  const chain = known.find(({ id }) => id === JSON.parse(process.env.INDEXED_NETWORK).chainId);
  console.log(JSON.stringify({ known: known.length, final: getFinalityBlockCount({ chain }), urls: chain.rpcUrls.default.http }));`;

it.each([
  ['ethereum', 65],
  ['polygon', 200],
  ['arbitrum', 240],
  ['gnosis', 30],
] as const)('Ponder knows %s alone, and waits for the %i blocks that it knows of it', (chain, final) => {
  const network = loadNetwork(chain, { [`${chain.toUpperCase()}_RPC_URLS`]: 'http://127.0.0.1:1' });
  const env = indexedNetworkEnvironment(network, 'http://127.0.0.1:1');
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', lookUp], { env, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ known: 1, final, urls: [] });
});
