import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { until } from '../support/until.ts';

/** A TCP server on loopback, and what has arrived there. */
export interface RawServer {
  port: number;
  /** How many connections it has accepted so far. */
  connections(): number;
  /** Everything that clients have sent, as text. */
  received(): string;
  /** How many bytes it has written to its connections, read by the client or not. */
  sent(): number;
  /** Resolves when no connection is open any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

export const delivery = { id: 'evt_1', body: '{"type":"subscription.created"}', secrets: [secret] };

/** Starts a server that hands each connection to `answer` once its first bytes have arrived. */
export async function startRawServer(answer: (socket: Socket) => void, { host = '127.0.0.1', port = 0 } = {}): Promise<RawServer> {
  const sockets: Socket[] = [];
  let received = '';
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => (received += data.toString('latin1')));
    socket.once('data', () => answer(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length,
    received: () => received,
    sent: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    async idle() {
      await until('all connections are closed', async () => sockets.every(({ destroyed }) => destroyed) || undefined);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A complete HTTP response without a body. */
export function head(status: string, headers = ''): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: 0\r\n\r\n`;
}
