import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Running } from './running.ts';

/** The metrics of a process that has no API. */
export interface Metrics extends Running {
  registry: Registry;
}

/** Serves `/metrics` on a port of its own; with no port, the metrics are kept and not served. */
export function serveMetrics(port: number | undefined, host: string): Metrics {
  const registry = new Registry();
  if (port === undefined) return { registry, close: () => Promise.resolve() };
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
  server.listen(port, host);
  return {
    registry,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
