import { http, HttpRequestError, RpcError, type Transport } from 'viem';

/** A request to an endpoint that has ended. */
export interface RpcRequest {
  /** The host name of the endpoint: user, path and query of its URL may be a key. */
  endpoint: string;
  method: string;
  /** `error` when the node answered with one, `outage` when it did not answer as a node does. */
  result: 'ok' | 'error' | 'outage';
  seconds: number;
}

/** Is called with each request when it has ended. It must not throw. */
export type RpcObserver = (request: RpcRequest) => void;

/** A request to an endpoint ends after this time: a node that hangs is one that does not answer. */
export const requestTimeoutMs = 15_000;

/** What a node always has a value for. Of blocks, transactions and receipts it may answer that there are none. */
const alwaysAnswered = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
]);

/**
 * Requests to one endpoint, which are never repeated by themselves. `observe` sees each. An answer without a value is none: it is an `HttpRequestError`, as
 * that of a gateway that sends a page.
 */
export function observedHttp(url: string, observe: RpcObserver = () => {}): Transport {
  const transport = http(url, { retryCount: 0, timeout: requestTimeoutMs });
  const endpoint = new URL(url).hostname;
  return (options) => {
    const endpointTransport = transport(options);
    return {
      ...endpointTransport,
      request: observedRequest(answered(url, endpointTransport.request as Request), endpoint, observe) as never,
    };
  };
}

type Request = (request: { method: string }, ...rest: unknown[]) => Promise<unknown>;

function answered(url: string, send: Request): Request {
  return async (request, ...rest) => {
    const answer = await send(request, ...rest);
    if (answer === undefined || (answer === null && alwaysAnswered.has(request.method)))
      throw new HttpRequestError({ url, details: `${request.method} is answered without a value` });
    return answer;
  };
}

function observedRequest(send: Request, endpoint: string, observe: RpcObserver): Request {
  return async (request, ...rest) => {
    const startedAt = performance.now();
    const report = (result: RpcRequest['result']) =>
      observe({ endpoint, method: request.method, result, seconds: (performance.now() - startedAt) / 1_000 });
    try {
      const answer = await send(request, ...rest);
      report('ok');
      return answer;
    } catch (error) {
      report(error instanceof RpcError ? 'error' : 'outage');
      throw error;
    }
  };
}
