import type { MetricDefinition } from './definition.ts';
import { moneyMetrics } from './money-metrics.ts';
import { networkMetrics } from './network-metrics.ts';
import { orderMetrics } from './order-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { webhookMetrics } from './webhook-metrics.ts';

/** Every metric of Mintrail, by its name. Nothing else is served, but what `prom-client` measures of a process of Node. */
export const metricCatalogue = { ...orderMetrics, ...networkMetrics, ...moneyMetrics, ...webhookMetrics, ...processMetrics };

type Catalogue = typeof metricCatalogue;

/** The name of a metric of one type. */
export type MetricName<Type extends MetricDefinition['type']> = {
  [Name in keyof Catalogue]: Catalogue[Name]['type'] extends Type ? Name : never;
}[keyof Catalogue];

/** The labels of a metric. */
export type LabelOf<Name extends keyof Catalogue> = Catalogue[Name]['labels'][number];
