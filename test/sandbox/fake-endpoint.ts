import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How an endpoint answers a request: with a result or an error of JSON-RPC, a status, a text, or not at all. */
export type Answer = 'cuts' | 'hangs' | { status: number } | { text: string } | { result: unknown } | { error: object };

/** An endpoint that answers as a test says. */
export interface FakeEndpoint {
  url: string;
  requests(): number;
  close(): Promise<void>;
}

export async function startFakeEndpoint(next: (method: string) => Answer): Promise<FakeEndpoint> {
  let requests = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const answer = next((JSON.parse(body) as { method: string }).method);
    if (answer === 'hangs') return;
    if (answer === 'cuts') response.destroy();
    else if ('status' in answer) response.writeHead(answer.status).end('no');
    else response.end('text' in answer ? answer.text : JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
