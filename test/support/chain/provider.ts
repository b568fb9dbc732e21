import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An RPC provider in front of a node: it has a key in its path, limits its callers, and counts them. */
export interface Provider {
  /** With the key, which no text may ever show. */
  url: string;
  host: string;
  /** Method and parameters of each call that was answered. */
  calls: string[];
  /** How many calls were turned down because of the limit. */
  limited(): number;
  /** From now on resets each connection. It keeps its port, which another program would soon be given, and would answer at. */
  goAway(): void;
  close(): Promise<void>;
}

/** The secret part of a provider's address. */
export const providerKey = 'c0ffee-secret-key';

/** Starts a provider that answers at most so many calls in a second. */
export async function startProvider(target: string, callsPerSecond: number): Promise<Provider> {
  const calls: string[] = [];
  const times: number[] = [];
  let limited = 0;
  let isAway = false;
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.prependListener('connection', (socket) => isAway && socket.resetAndDestroy());
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const now = Date.now();
    while ((times[0] ?? now) < now - 1_000) times.shift();
    if (!request.url?.includes(providerKey)) return void response.writeHead(401).end('no key');
    if (times.length >= callsPerSecond) {
      limited += 1;
      return void response.writeHead(429, { 'retry-after': '1' }).end('Too Many Requests');
    }
    times.push(now);
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    calls.push(`${method} ${JSON.stringify(params)}`);
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1/${providerKey}`,
    host,
    calls,
    limited: () => limited,
    goAway() {
      isAway = true;
      server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
