import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** A free port of the loopback address: `preferred` when it is free, else any. */
export async function freePort(preferred = 0): Promise<number> {
  const port = (await tryPort(preferred)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('no free port on 127.0.0.1');
  return port;
}

/** The port that is stored in a file, when it is still free; else another, which is then stored. */
export async function rememberedPort(file: string): Promise<number> {
  const remembered = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const port = await freePort(Number.isInteger(remembered) && remembered > 0 && remembered < 65_536 ? remembered : 0);
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
