/** A chain of a million blocks takes several seconds for its state; one that is stopped by a signal never answers. */
const answerTimeoutMs = 60_000;

/** A request of JSON-RPC. */
export function request(method: string, params: readonly unknown[] = []): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** Sends a request, or a batch of them, to a local chain, until `closing` is aborted. Throws what `fetch` throws. */
export function ask(url: string, closing: AbortSignal, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)]),
  });
}
