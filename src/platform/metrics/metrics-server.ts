import { createServer } from 'node:http';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { StopError } from '../errors.ts';
import type { Running } from '../loop.ts';

/** Serves the metrics of a process as `/metrics` on a port of their own. Throws `port_in_use`. */
export async function serveMetrics(registry: Registry, port: number, host: string): Promise<Running> {
  collectDefaultMetrics({ register: registry });
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new StopError({
          code: 'port_in_use',
          message: `The metrics cannot be served on ${host}:${port} (${cause.message}): set METRICS_PORT to a free port, a different one for each process`,
          cause,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}
