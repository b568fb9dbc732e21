import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StopError } from '../errors.ts';

/** Where a server listens, and what its users call it. */
interface ListenAddress {
  /** Name of the server in messages, such as "The API". */
  name: string;
  host: string;
  /** 0 for any free one. */
  port: number;
  /** What to do about a port that is taken, such as "set PORT to a free port". */
  remedy: string;
}

/** Makes a server listen. Returns the port. Throws `port_in_use`. */
export async function listen(server: Server, { name, host, port, remedy }: ListenAddress): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (cause: NodeJS.ErrnoException) =>
    reject(
      new StopError({
        code: 'port_in_use',
        message: `${name} cannot listen on ${host}:${port} (${cause.code ?? cause.message}): ${remedy}`,
        cause,
      }),
    ),
  );
  server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  return promise;
}

/** Takes no more requests, and closes the connections of those that have not finished in time. */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await promise;
  clearTimeout(timer);
}
