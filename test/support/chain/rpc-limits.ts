import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The limits of a provider's node, with the errors that real nodes answer beyond them. */
export interface RpcLimits {
  /** How many blocks one `eth_getLogs` may span. */
  logBlocks?: number;
  /** Blocks below the head whose state is kept. */
  stateBlocks?: number;
  /** Blocks below the head that are kept at all (EIP-4444). */
  historyBlocks?: number;
  /** The most gas that an `eth_call` gets (`--rpc.gascap`). */
  gasCap?: number;
  /** Whether `safe` and `finalized` are known; Scroll's nodes answer null. */
  tags?: boolean;
}

interface Request {
  id: number;
  method: string;
  params: unknown[];
}

/** Starts a proxy with limits in front of a node that has none. */
export async function startLimitedRpc(target: string, limits: RpcLimits): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(target, limits, request)
      .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(target: string, limits: RpcLimits, incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = { params: [], ...(JSON.parse(Buffer.concat(chunks).toString()) as Omit<Request, 'params'>) } as Request;
  const head = Number(((await forward(target, { id: 1, method: 'eth_blockNumber', params: [] })) as { result: string }).result);
  const error = refusal(limits, head, request);
  if (error === null) return JSON.stringify({ jsonrpc: '2.0', id: request.id, result: null });
  if (error) return JSON.stringify({ jsonrpc: '2.0', id: request.id, error });
  if (request.method === 'eth_call' && limits.gasCap !== undefined)
    request.params[0] = { ...(request.params[0] as object), gas: `0x${limits.gasCap.toString(16)}` };
  return JSON.stringify(await forward(target, request));
}

/** The error to answer with, null where the result is null, undefined where the request is within the limits. */
function refusal(limits: RpcLimits, head: number, { method, params }: Request): { code: number; message: string } | null | undefined {
  const { logBlocks, stateBlocks, historyBlocks, tags = true } = limits;
  const tag = params.find((param) => param === 'safe' || param === 'finalized');
  if (!tags && tag !== undefined) return null;
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    if (logBlocks !== undefined && Number(toBlock) - Number(fromBlock) >= logBlocks)
      return { code: -32005, message: `query exceeds max block range ${logBlocks}` };
    if (historyBlocks !== undefined && Number(fromBlock) < head - historyBlocks)
      return { code: 4444, message: 'pruned history unavailable' };
  }
  if (method === 'eth_getBlockByNumber' && historyBlocks !== undefined && Number(params[0]) < head - historyBlocks) return null;
  const block = ['eth_call', 'eth_getBalance', 'eth_getCode'].includes(method) ? Number(params.at(-1)) : Number.NaN;
  if (stateBlocks !== undefined && block < head - stateBlocks) return { code: -32000, message: 'missing trie node' };
  return undefined;
}

async function forward(target: string, request: Request): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...request });
  const response = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return response.json();
}
