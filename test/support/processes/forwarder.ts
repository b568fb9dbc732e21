import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/**
 * What a balancer does with new connections instead of passing all on: `cuts` ends them after the first hundred bytes of the client, `lateMs` passes on each part so much
 * later, and `answers` is all that clients hear: at once where the server speaks first, otherwise when they have spoken.
 */
export type ConnectionFault = 'cuts' | { lateMs: number } | { answers: string; speaksFirst: boolean };

/** A balancer on a port of the loopback address. */
export interface Forwarder {
  port: number;
  /** From now on new connections lead to this port of the loopback address. Those that exist stay where they are. */
  leadTo(port: number): void;
  /** While it is silent, connections stay and new ones are accepted, and nothing passes. */
  setSilent(isSilent: boolean): void;
  /** Ends all connections; those that are made from now on have the fault. */
  disturb(fault: ConnectionFault | undefined): void;
  close(): Promise<void>;
}

/** Starts a balancer that leads to this port of the loopback address. */
export async function startForwarder(target: number): Promise<Forwarder> {
  const state: { target: number; isSilent: boolean; fault: ConnectionFault | undefined } = { target, isSilent: false, fault: undefined };
  const connections = new Set<{ setSilent(isSilent: boolean): void; destroy(): void }>();
  const server = createServer((client) => {
    const { fault } = state;
    if (typeof fault === 'object' && 'answers' in fault) return answer(client, fault);
    const connection = forward(client, { target: () => state.target, fault }, state.isSilent);
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
    disturb(fault) {
      state.fault = fault;
      for (const connection of connections) connection.destroy();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

function answer(client: Socket, { answers, speaksFirst }: { answers: string; speaksFirst: boolean }): void {
  client.on('error', () => {});
  if (speaksFirst) client.end(answers);
  else client.once('data', () => client.end(answers));
}

const cutAfterBytes = 100;

/** What stands between client and server: passes all on, or what the fault lets through. */
function passage(fault: 'cuts' | { lateMs: number }, cut: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (typeof fault === 'object') return void setTimeout(() => done(null, chunk), fault.lateMs);
      bytes += chunk.length;
      if (bytes > cutAfterBytes) return cut();
      done(null, chunk);
    },
  });
}

function forward(
  client: Socket,
  { target, fault }: { target: () => number; fault: 'cuts' | { lateMs: number } | undefined },
  isSilent: boolean,
) {
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
    if (fault === undefined) client.pipe(server).pipe(client);
    else
      client
        .pipe(passage(fault, () => client.destroy()))
        .pipe(server)
        .pipe(client);
  };
  if (!isSilent) setSilent(false);
  return { setSilent, destroy: () => client.destroy() };
}
