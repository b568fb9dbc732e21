import type { Board } from './board.ts';

/** What an operations desk keeps open: what is wrong, what waits, and how fast it goes. */
export const operations: Board = {
  name: 'operations',
  title: 'Mintrail: operations',
  description: 'What is wrong, what waits, and how fast everything goes.',
  rows: [
    [
      'What needs a person',
      [
        {
          title: 'Problems',
          description: 'What stops money or needs a person. It should be 0.',
          kind: 'stat',
          unit: 'short',
          badFrom: 1,
          queries: [['sum(max by (chain, kind) (mintrail_problems{severity!="soon"}))', 'problems']],
        },
        {
          title: 'Soon',
          description: 'What ends soon, and stops nothing yet.',
          kind: 'stat',
          unit: 'short',
          queries: [['sum(max by (chain, kind) (mintrail_problems{severity="soon"}))', 'problems']],
        },
        {
          title: 'Failing subscriptions',
          description: 'Subscribers that do not take their events.',
          kind: 'stat',
          unit: 'short',
          badFrom: 1,
          queries: [['max(mintrail_problems{kind="subscriber_failing"})', 'applications']],
        },
        {
          title: 'Processes that answer',
          description: 'Targets that Prometheus reaches, of all that it knows.',
          kind: 'stat',
          unit: 'short',
          queries: [
            ['sum(up{job="mintrail"})', 'up'],
            ['count(up{job="mintrail"})', 'known'],
          ],
        },
        {
          title: 'Problems by kind',
          description: 'Each kind has its page in docs/operations/runbooks.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['max by (chain, kind) (mintrail_problems)', '{{kind}} {{chain}}']],
        },
      ],
    ],
    [
      'Orders',
      [
        {
          title: 'Orders per minute',
          description: 'Orders that came into each state.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['60 * sum by (kind, state) (rate(mintrail_orders_total[$__rate_interval]))', '{{kind}} {{state}}']],
        },
        {
          title: 'Open orders',
          description: 'Orders that have not ended.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['max by (state) (mintrail_open_orders)', '{{state}}']],
        },
        {
          title: 'Time in each stage, median and 95 %',
          description: 'From acceptance to sent, mined, confirmed, processed, and delivered to a subscriber.',
          kind: 'timeseries',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.5, sum by (le, stage) (rate(mintrail_order_stage_duration_seconds_bucket[$__rate_interval])))',
              '{{stage}} median',
            ],
            [
              'histogram_quantile(0.95, sum by (le, stage) (rate(mintrail_order_stage_duration_seconds_bucket[$__rate_interval])))',
              '{{stage}} 95 %',
            ],
          ],
        },
        {
          title: 'Open legs by age',
          description: 'By the seconds for which they have been due at most.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['sum by (age) (max by (chain, kind, state, age) (mintrail_open_legs))', 'up to {{age}} s']],
        },
        {
          title: 'Oldest due leg',
          description: 'For how long the oldest leg has been due that is not held.',
          kind: 'timeseries',
          unit: 's',
          queries: [['max by (chain, kind) (mintrail_open_leg_oldest_seconds)', '{{kind}} {{chain}}']],
        },
      ],
    ],
    [
      'API, webhooks and queues',
      [
        {
          title: 'Requests to the API',
          description: 'By the status of their answers.',
          kind: 'timeseries',
          unit: 'reqps',
          queries: [['sum by (status) (rate(mintrail_http_request_duration_seconds_count[$__rate_interval]))', '{{status}}']],
        },
        {
          title: 'Time of requests, median and 95 %',
          description: 'From the arrival of a request to its answer.',
          kind: 'timeseries',
          unit: 's',
          queries: [
            ['histogram_quantile(0.5, sum by (le) (rate(mintrail_http_request_duration_seconds_bucket[$__rate_interval])))', 'median'],
            ['histogram_quantile(0.95, sum by (le) (rate(mintrail_http_request_duration_seconds_bucket[$__rate_interval])))', '95 %'],
          ],
        },
        {
          title: 'Deliveries of webhooks',
          description: 'Attempts by what became of the delivery.',
          kind: 'timeseries',
          unit: 'reqps',
          queries: [['sum by (outcome) (rate(mintrail_webhook_attempts_total[$__rate_interval]))', '{{outcome}}']],
        },
        {
          title: 'Pending deliveries',
          description: 'Deliveries that have not ended, and the age of the oldest in seconds.',
          kind: 'timeseries',
          unit: 'short',
          queries: [
            ['max(mintrail_webhook_deliveries_pending)', 'pending'],
            ['max(mintrail_webhook_delivery_oldest_seconds)', 'oldest, seconds'],
          ],
        },
        {
          title: 'Time of receivers, 95 %',
          description: 'Until a receiver had answered, or its time was over.',
          kind: 'timeseries',
          unit: 's',
          queries: [
            ['histogram_quantile(0.95, sum by (le) (rate(mintrail_webhook_attempt_duration_seconds_bucket[$__rate_interval])))', '95 %'],
          ],
        },
        {
          title: 'Wake-ups of queues',
          description: 'Failed ones cost a second: the sweeps find the work.',
          kind: 'timeseries',
          unit: 'reqps',
          queries: [['sum by (queue, result) (rate(mintrail_queue_wake_ups_total[$__rate_interval]))', '{{queue}} {{result}}']],
        },
        {
          title: 'Database connections in use',
          description: 'Against the limit of each pool; statements that wait for one.',
          kind: 'timeseries',
          unit: 'short',
          queries: [
            ['sum by (pool) (mintrail_database_connections{state="in use"})', '{{pool}}'],
            ['sum by (pool) (mintrail_database_connections_limit)', '{{pool}} limit'],
            ['sum by (pool) (mintrail_database_connections_awaited)', '{{pool}} awaited'],
          ],
        },
        {
          title: 'Memory and processor',
          description: 'Resident memory in gigabytes, and processor seconds per second, of each process.',
          kind: 'timeseries',
          unit: 'short',
          queries: [
            ['process_resident_memory_bytes{job="mintrail"} / 1e9', '{{process}} GB'],
            ['rate(process_cpu_seconds_total{job="mintrail"}[$__rate_interval])', '{{process}} processor'],
          ],
        },
      ],
    ],
  ],
};
