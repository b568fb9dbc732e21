import type { Alert } from './alert.ts';

/** Alerts about what `mintrail status` cannot see, or does not call a problem of the service. */
export const serviceAlerts: readonly Alert[] = [
  {
    runbook: 'process_down',
    severity: 'critical',
    // Workers and indexers write heartbeats: worker_silent is raised for them, and for an API of which no copy answers, and status_unread for the common worker.
    // A pod that is gone is no target any more, so the API's absence counts too. The console may be left out.
    expr: 'up{job="mintrail",process=~"api|console"} == 0 or absent(up{job="mintrail",process="api"})',
    for: '1m',
    summary: 'The {{ $labels.process }} does not answer',
    description:
      '{{ with $labels.instance }}{{ . }} serves no metrics{{ else }}Prometheus has no such process to scrape{{ end }}. Customers and operators may not be served either.',
  },
  {
    runbook: 'status_unread',
    severity: 'critical',
    expr: 'time() - max(mintrail_problems_read_timestamp_seconds) > 60 or absent(mintrail_problems_read_timestamp_seconds)',
    for: '30s',
    summary: 'Nobody looks for problems',
    description: 'No common worker has read the problems of the service for a minute: none of the other alerts can fire.',
  },
  {
    runbook: 'requests_failing',
    severity: 'critical',
    // A process that is not ready says so with 503, and that is no request of a customer.
    expr: 'sum(rate(mintrail_http_request_duration_seconds_count{status=~"5..",route!~"/health/.*"}[5m])) / sum(rate(mintrail_http_request_duration_seconds_count{route!~"/health/.*"}[5m])) > 0.05',
    for: '2m',
    summary: 'The API answers with errors',
    description: '{{ $value | humanizePercentage }} of the requests are answered with a status of 500 and above.',
  },
  {
    runbook: 'console_requests_failing',
    severity: 'warning',
    expr: 'sum(rate(mintrail_console_request_duration_seconds_count{status=~"5.."}[5m])) / sum(rate(mintrail_console_request_duration_seconds_count[5m])) > 0.05',
    for: '2m',
    summary: 'The console answers with errors',
    description: '{{ $value | humanizePercentage }} of the requests of operators are answered with a status of 500 and above.',
  },
  {
    runbook: 'requests_slow',
    severity: 'warning',
    expr: 'histogram_quantile(0.95, sum by (le) (rate(mintrail_http_request_duration_seconds_bucket{route!~".*events.*"}[5m]))) > 1',
    for: '10m',
    summary: 'The API is slow',
    description: 'One request in twenty takes longer than {{ $value | humanizeDuration }}.',
  },
  {
    runbook: 'connections_exhausted',
    severity: 'warning',
    // By process: a copy that has no connection left is not helped by those that another copy has.
    expr: 'sum by (instance, pool) (mintrail_database_connections_awaited) > 0 and sum by (instance, pool) (mintrail_database_connections{state="in use"}) >= sum by (instance, pool) (mintrail_database_connections_limit)',
    for: '5m',
    summary: 'Statements wait for connections of the pool {{ $labels.pool }}',
    description: '{{ $value }} statements wait in {{ $labels.instance }}, and all connections of its pool are in use.',
  },
  {
    runbook: 'endpoint_failing',
    severity: 'warning',
    expr: 'sum by (chain, endpoint) (rate(mintrail_rpc_requests_total{result="outage"}[5m])) / sum by (chain, endpoint) (rate(mintrail_rpc_requests_total[5m])) > 0.2',
    for: '10m',
    summary: 'An endpoint of {{ $labels.chain }} often does not answer',
    description: '{{ $value | humanizePercentage }} of the requests to {{ $labels.endpoint }} are not answered.',
  },
];
