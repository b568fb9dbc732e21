import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivered {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A subscriber on loopback that keeps what it gets, and answers with a status or not at all. */
export async function startReceiver() {
  const delivered: Delivered[] = [];
  const state: { answer: number | 'silence' } = { answer: 200 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      delivered.push({ path: request.url ?? '', headers: request.headers, body });
      if (state.answer !== 'silence') response.writeHead(state.answer).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    delivered,
    /** What its answers are from now on. */
    answer(answer: number | 'silence') {
      state.answer = answer;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
