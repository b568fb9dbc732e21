import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { until } from '../support/until.ts';

/** Somebody who listens, and what has arrived there. */
export interface Receiver {
  port: number;
  /** Connections that there ever were. */
  connections(): number;
  /** Everything that came, as text. */
  received(): string;
  /** Bytes that went into its connections, whether anybody read them or not. */
  sent(): number;
  /** Resolves when no connection is open any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

export const delivery = { id: 'evt_1', body: '{"type":"subscription.created"}', secrets: [secret] };

/** A socket on loopback that does with each connection what a test says, once something has come. */
export async function listen(answer: (socket: Socket) => void, { host = '127.0.0.1', port = 0 } = {}): Promise<Receiver> {
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
      await until('all connections are closed', async () => sockets.every(({ destroyed }) => destroyed) || undefined, 5);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A whole answer without a body. */
export function head(status: string, headers = ''): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: 0\r\n\r\n`;
}
