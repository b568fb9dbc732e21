import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** An HTTP server on loopback. */
export interface FakeServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts a server that answers each request with what `answer` returns. Where it returns nothing, the request hangs until the server stops. */
export async function startFakeServer(
  answer: (request: IncomingMessage, body: string) => { status: number; headers?: Record<string, string>; body: string } | undefined,
  port = 0,
): Promise<FakeServer> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const reply = answer(request, Buffer.concat(chunks).toString());
      if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
