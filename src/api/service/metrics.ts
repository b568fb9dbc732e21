import { Histogram, Registry } from 'prom-client';
import type { ApiMetrics } from '../api.ts';

/** The metrics that the API records itself. */
export function createApiMetrics(): ApiMetrics {
  const registry = new Registry();
  const requestSeconds = new Histogram({
    name: 'mintrail_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer, by route',
    labelNames: ['method', 'route', 'status'] as const,
    // From a cached answer to the three seconds that a request waits for a contract's signature.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
    registers: [registry],
  });
  return { registry, requestSeconds };
}
