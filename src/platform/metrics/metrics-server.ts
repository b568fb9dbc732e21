import { createServer } from 'node:http';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { Running } from '../loop.ts';
import { closeServer, listen } from '../process/http-server.ts';

const remedy = 'set METRICS_PORT to a free port, a different one for each process';

/** A scrape takes less. */
const shutdownTimeoutMs = 1_000;

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
  await listen(server, { name: 'The server of the metrics', host, port, remedy });
  return { close: () => closeServer(server, shutdownTimeoutMs) };
}
