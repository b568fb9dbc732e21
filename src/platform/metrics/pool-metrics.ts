import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { registeredGauge } from './registered.ts';

/** Shows the connections of a pool, which a process knows by `name`. They are counted in memory when the metrics are read. */
export function addPoolMetrics(registry: Registry, name: string, pool: Pool): void {
  const labels = { pool: name };
  registeredGauge(registry, 'mintrail_database_connections', (gauge) => {
    gauge.set({ ...labels, state: 'in use' }, pool.totalCount - pool.idleCount);
    gauge.set({ ...labels, state: 'idle' }, pool.idleCount);
  });
  registeredGauge(registry, 'mintrail_database_connections_limit').set(labels, pool.options.max);
  registeredGauge(registry, 'mintrail_database_connections_awaited', (gauge) => gauge.set(labels, pool.waitingCount));
}
