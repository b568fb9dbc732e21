import { Counter, Gauge, type Registry } from 'prom-client';

/** What a metric is called, and by which labels its values differ. */
export interface MetricOptions {
  name: string;
  help: string;
  labelNames: readonly string[];
}

type Collector = (gauge: Gauge) => void;

const collectorsOf = new WeakMap<object, Collector[]>();

/**
 * The gauge of a name, which the networks and comparisons of a process share: each sets values of other labels. `collect` is called
 * whenever the metrics are read.
 */
export function sharedGauge(registry: Registry, options: MetricOptions, collect?: Collector): Gauge {
  const gauge = (registry.getSingleMetric(options.name) as Gauge | undefined) ?? newGauge(registry, options);
  if (collect) collectorsOf.get(gauge)?.push(collect);
  return gauge;
}

/** The counter of a name, which the networks of a process share. */
export function sharedCounter(registry: Registry, options: MetricOptions): Counter {
  return (registry.getSingleMetric(options.name) as Counter | undefined) ?? new Counter({ ...options, registers: [registry] });
}

function newGauge(registry: Registry, options: MetricOptions): Gauge {
  const collectors: Collector[] = [];
  const gauge = new Gauge({
    ...options,
    registers: [registry],
    collect() {
      for (const collect of collectors) collect(this);
    },
  });
  collectorsOf.set(gauge, collectors);
  return gauge;
}
