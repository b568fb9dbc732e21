import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of a node that counts calls. */
export interface CountingProxy {
  url: string;
  /** Calls so far, by method. Each call of a JSON-RPC batch counts. */
  calls(): Record<string, number>;
  close(): Promise<void>;
}

/** Starts the proxy in front of the node at `target`. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const counts: Record<string, number> = {};
  const server = createServer((incoming, answer) => {
    const pass = async (): Promise<void> => {
      const body = await read(incoming);
      const requests = [JSON.parse(body) as { method: string } | { method: string }[]].flat();
      for (const { method } of requests) counts[method] = (counts[method] ?? 0) + 1;
      const result = await forward(target, body);
      answer.writeHead(result.statusCode ?? 502, result.headers);
      result.pipe(answer);
    };
    pass().catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => ({ ...counts }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function forward(target: string, body: string): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(target, { method: 'POST', headers }, resolve).on('error', reject).end(body);
  });
}
