import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Ports from which no system takes those of connections, which would be in use before a server listens. */
const [firstPort, ports, mostTried] = [20_000, 12_000, 100];

/** A free port of the loopback address: `preferred` when it is free, else any. */
export async function freePort(preferred?: number): Promise<number> {
  const wanted = preferred === undefined ? undefined : await tryPort(preferred);
  if (wanted !== undefined) return wanted;
  for (let tried = 0; tried < mostTried; tried += 1) {
    const port = await tryPort(firstPort + randomInt(ports));
    if (port !== undefined) return port;
  }
  throw new Error('no free port on 127.0.0.1');
}

/** The port that is stored in a file, when it is still free; else another, which is then stored. */
export async function rememberedPort(file: string): Promise<number> {
  const remembered = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const port = await freePort(Number.isInteger(remembered) && remembered > 0 && remembered < 65_536 ? remembered : undefined);
  if (port !== remembered) writeFileSync(file, `${port}\n`);
  return port;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
