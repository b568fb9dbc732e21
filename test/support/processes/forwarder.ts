import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A balancer on a port of the loopback address. */
export interface Forwarder {
  port: number;
  /** From now on new connections lead to this port of the loopback address. Those that exist stay where they are. */
  leadTo(port: number): void;
  /** While it is silent, connections stay and new ones are accepted, and nothing passes. */
  setSilent(isSilent: boolean): void;
  close(): Promise<void>;
}

/** Starts a balancer that leads to this port of the loopback address. */
export async function startForwarder(target: number): Promise<Forwarder> {
  const state = { target, isSilent: false };
  const connections = new Set<{ setSilent(isSilent: boolean): void; destroy(): void }>();
  const server = createServer((client) => {
    const connection = forward(client, () => state.target, state.isSilent);
    connections.add(connection);
    client.on('close', () => connections.delete(connection));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => void (state.target = port),
    setSilent(isSilent) {
      state.isSilent = isSilent;
      for (const connection of connections) connection.setSilent(isSilent);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

function forward(client: Socket, target: () => number, isSilent: boolean) {
  let server: Socket | undefined;
  client.on('error', () => {}).on('close', () => server?.destroy());
  client.pause();
  const setSilent = (silent: boolean): void => {
    if (silent) {
      client.unpipe().pause();
      server?.unpipe().pause();
      return;
    }
    if (client.destroyed) return;
    server ??= connect(target(), '127.0.0.1')
      .on('error', () => client.destroy())
      .on('close', () => client.destroy());
    client.pipe(server).pipe(client);
  };
  if (!isSilent) setSilent(false);
  return { setSilent, destroy: () => client.destroy() };
}
