import { everyProcess, type MetricDefinition } from './definition.ts';

/** Metrics of processes: their requests, connections and wake-ups, and what runs out on their machines. */
export const processMetrics = {
  mintrail_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a request to its answer, by route',
    unit: 'seconds',
    labels: ['method', 'route', 'status'],
    servedBy: ['api'],
    // From a cached answer to the three seconds that a request waits for a contract's signature.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
  },
  mintrail_console_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a request at the console to its answer, by route',
    unit: 'seconds',
    labels: ['method', 'route', 'status'],
    servedBy: ['console'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
  },
  mintrail_database_connections: {
    type: 'gauge',
    help: 'Connections of a pool to PostgreSQL: in use or idle',
    unit: '',
    labels: ['pool', 'state'],
    servedBy: everyProcess,
  },
  mintrail_database_connections_limit: {
    type: 'gauge',
    help: 'Most connections that a pool opens',
    unit: '',
    labels: ['pool'],
    servedBy: everyProcess,
  },
  mintrail_database_connections_awaited: {
    type: 'gauge',
    help: 'Statements that wait for a connection of a pool',
    unit: '',
    labels: ['pool'],
    servedBy: everyProcess,
  },
  mintrail_queue_wake_ups_total: {
    type: 'counter',
    help: 'Wake-ups of a queue that this process has sent, could not send (failed), or received',
    unit: '',
    labels: ['queue', 'result'],
    servedBy: ['api', 'console', 'network worker', 'common worker'],
  },
  mintrail_retention_partitions_total: {
    type: 'counter',
    help: 'Partitions that were dropped or archived',
    unit: '',
    labels: ['table', 'action'],
    servedBy: ['common worker'],
  },
  mintrail_retention_timestamp_seconds: {
    type: 'gauge',
    help: 'When the retention was last carried out',
    unit: 'Unix time in seconds',
    labels: [],
    servedBy: ['common worker'],
  },
  mintrail_certificate_end_timestamp_seconds: {
    type: 'gauge',
    help: 'When the TLS certificate of the public address ends; absent while that is not known',
    unit: 'Unix time in seconds',
    labels: [],
    servedBy: ['common worker'],
  },
  mintrail_disk_free_ratio: {
    type: 'gauge',
    help: 'Free share of the disk of a folder',
    unit: 'ratio',
    labels: ['folder'],
    servedBy: ['common worker'],
  },
  mintrail_alarms: {
    type: 'gauge',
    help: 'Alarms that this worker has raised, by kind',
    unit: '',
    labels: ['chain', 'kind'],
    servedBy: ['network worker'],
  },
  mintrail_problems: {
    type: 'gauge',
    help: 'What mintrail status names, by kind, the alarms of all workers included; chain is empty for what belongs to no network',
    unit: '',
    labels: ['chain', 'kind', 'severity'],
    servedBy: ['common worker'],
  },
  mintrail_problems_read_timestamp_seconds: {
    type: 'gauge',
    help: 'When problems were read last',
    unit: 'Unix time in seconds',
    labels: [],
    servedBy: ['common worker'],
  },
} as const satisfies Record<string, MetricDefinition>;
