import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricDefinition } from './definition.ts';
import { type LabelOf, metricCatalogue, type MetricName } from './catalogue.ts';

type Collector = (gauge: Gauge) => void;

const collectorsOf = new WeakMap<object, Collector[]>();

/**
 * The gauge of a name, which the parts of a process share: each sets values of other labels. `collect` is called whenever the metrics are read, so it
 * may read the memory of the process and nothing else.
 */
export function registeredGauge<Name extends MetricName<'gauge'>>(
  registry: Registry,
  name: Name,
  collect?: (gauge: Gauge<LabelOf<Name>>) => void,
): Gauge<LabelOf<Name>> {
  const gauge = (registry.getSingleMetric(name) as Gauge | undefined) ?? newGauge(registry, name);
  if (collect) collectorsOf.get(gauge)?.push(collect);
  return gauge;
}

/** The counter of a name, which the parts of a process share. */
export function registeredCounter<Name extends MetricName<'counter'>>(registry: Registry, name: Name): Counter<LabelOf<Name>> {
  const counter = registry.getSingleMetric(name) as Counter | undefined;
  return counter ?? new Counter({ ...describe(name), registers: [registry] });
}

/** The histogram of a name, which the parts of a process share. */
export function registeredHistogram<Name extends MetricName<'histogram'>>(registry: Registry, name: Name): Histogram<LabelOf<Name>> {
  const histogram = registry.getSingleMetric(name) as Histogram | undefined;
  const buckets = [...metricCatalogue[name].buckets];
  return histogram ?? new Histogram({ ...describe(name), buckets, registers: [registry] });
}

function newGauge(registry: Registry, name: MetricName<'gauge'>): Gauge {
  const collectors: Collector[] = [];
  const gauge = new Gauge({
    ...describe(name),
    registers: [registry],
    collect() {
      for (const collect of collectors) collect(this);
    },
  });
  collectorsOf.set(gauge, collectors);
  return gauge;
}

function describe(name: keyof typeof metricCatalogue) {
  const { help, labels }: MetricDefinition = metricCatalogue[name];
  return { name, help, labelNames: labels };
}
