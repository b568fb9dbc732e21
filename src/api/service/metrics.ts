import { Registry } from 'prom-client';
import { registeredHistogram } from '../../platform/metrics/registered.ts';
import type { ApiMetrics } from '../api.ts';

/** The metrics that the API records itself. */
export function createApiMetrics(): ApiMetrics {
  const registry = new Registry();
  return { registry, requestSeconds: registeredHistogram(registry, 'mintrail_http_request_duration_seconds') };
}
