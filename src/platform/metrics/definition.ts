/** A kind of process that serves metrics. */
export type MetricProcess = 'api' | 'console' | 'network worker' | 'common worker' | 'indexer';

/** All kinds of processes. */
export const everyProcess: readonly MetricProcess[] = ['api', 'console', 'network worker', 'common worker', 'indexer'];

/** What a metric means. docs/metrics.md is generated from it. */
export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  /** What is measured, as `/metrics` and docs/metrics.md say it. */
  help: string;
  /** The base unit of its values; empty for counts. */
  unit: '' | 'seconds' | 'wei' | 'gas' | 'blocks' | 'ratio' | 'Unix time in seconds' | 'currency units';
  /** Their values are bounded by the settings and by the code: never an id, or the address of a customer. */
  labels: readonly string[];
  servedBy: readonly MetricProcess[];
  /** The upper bounds of a histogram's buckets. */
  buckets?: readonly number[];
}
