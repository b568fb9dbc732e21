import { createPublicClient, type PublicClient } from 'viem';
import { expect, it } from 'vitest';
import { observedHttp, type RpcRequest } from '../../src/chain/endpoints/observed-http.ts';
import { startFakeServer } from '../support/fake-server.ts';

/** Asks a node that answers what `answer` says: the rest of its JSON, or nothing and 503. Returns what was reported of each request. */
async function observe(
  answer: (method: string) => object | undefined,
  ask: (rpc: PublicClient, stop: () => Promise<unknown>) => Promise<void>,
) {
  const server = await startFakeServer((_, body) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const rest = answer(method);
    if (rest === undefined) return { status: 503, body: '' };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id, ...rest }) };
  });
  const seen: RpcRequest[] = [];
  const url = `${server.url.replace('//', '//user:password@')}/v3/secret-key?token=x`;
  await ask(createPublicClient({ transport: observedHttp(url, (request) => void seen.push(request)), cacheTime: 0 }), () => server.stop());
  await server.stop();
  return seen;
}

it('reports each request by host, method and result, and nothing else of the URL', async () => {
  const answers: Record<string, object> = { eth_blockNumber: { result: '0x7' }, eth_gasPrice: { error: { code: -32_000, message: 'no' } } };
  const seen = await observe(
    (method) => answers[method],
    async (rpc, stop) => {
      expect(await rpc.getBlockNumber()).toBe(7n);
      await expect(rpc.getGasPrice()).rejects.toThrow();
      await expect(rpc.getChainId()).rejects.toThrow();
      await stop();
      await expect(rpc.getBlockNumber()).rejects.toThrow();
    },
  );
  expect(seen.map(({ seconds, ...facts }) => (expect(seconds).toBeGreaterThanOrEqual(0), facts))).toEqual([
    { endpoint: '127.0.0.1', method: 'eth_blockNumber', result: 'ok' },
    { endpoint: '127.0.0.1', method: 'eth_gasPrice', result: 'error' },
    { endpoint: '127.0.0.1', method: 'eth_chainId', result: 'outage' },
    { endpoint: '127.0.0.1', method: 'eth_blockNumber', result: 'outage' },
  ]);
});

it('takes an answer without a value for none, and believes that there is no such transaction', async () => {
  const seen = await observe(
    (method) => (method === 'eth_gasPrice' ? {} : { result: null }),
    async (rpc) => {
      await expect(rpc.getBlockNumber()).rejects.toThrow('eth_blockNumber is answered without a value');
      await expect(rpc.getGasPrice()).rejects.toThrow('eth_gasPrice is answered without a value');
      await expect(rpc.getTransaction({ hash: `0x${'1'.repeat(64)}` })).rejects.toThrow('could not be found');
    },
  );
  expect(seen.map(({ method, result }) => `${method} ${result}`)).toEqual([
    'eth_blockNumber outage',
    'eth_gasPrice outage',
    'eth_getTransactionByHash ok',
  ]);
});
