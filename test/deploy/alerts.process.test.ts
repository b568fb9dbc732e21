import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { alertGroups, renderRules, ruleOf } from '../../scripts/alerts/rules.ts';
import { alertName } from '../../scripts/alerts/alert.ts';
import { serviceAlerts } from '../../scripts/alerts/service-alerts.ts';
import { statusAlerts } from '../../scripts/alerts/status-alerts.ts';
import { boards } from '../../scripts/boards/boards.ts';
import { catalogue, titleOf } from '../../src/problems/catalogue.ts';
import { metricCatalogue } from '../../src/platform/metrics/catalogue.ts';
import { project, read } from '../docs/pages.ts';
import { testFolder } from '../support/test-folder.ts';

const alerts = Object.values(alertGroups).flat();
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const folder = testFolder();

it('keeps the generated rules up to date', () => {
  expect(read('deploy/prometheus/rules.yml'), 'run `npm run docs`').toBe(renderRules());
});

it('asks for metrics that are there', () => {
  const known = new Set(Object.keys(metricCatalogue));
  const panels = boards.flatMap(({ rows }) => rows.flatMap(([, all]) => all));
  const drawn = panels.flatMap(({ queries }) => queries.map(([expr]) => expr));
  for (const expr of [...alerts.map((alert) => alert.expr), ...drawn])
    for (const [name] of expr.matchAll(/mintrail_[a-z_]+/g)) expect(known).toContain(name.replace(/_(?:bucket|count|sum)$/, ''));
});

/** A service that is well for so many minutes, one value a minute. */
const wellFor = (minutes: number): Record<string, string> => ({
  'up{job="mintrail",process="api",instance="api:9464"}': `1x${minutes}`,
  'up{job="mintrail",process="console",instance="console:9464"}': `1x${minutes}`,
  'up{job="mintrail",process="worker",instance="worker:9464"}': `1x${minutes}`,
  mintrail_problems_read_timestamp_seconds: `0+60x${minutes}`,
  'mintrail_http_request_duration_seconds_count{status="200"}': `0+600x${minutes}`,
  'mintrail_http_request_duration_seconds_count{status="500"}': `0+1x${minutes}`,
  'mintrail_console_request_duration_seconds_count{status="200"}': `0+60x${minutes}`,
  'mintrail_console_request_duration_seconds_count{status="500"}': `0+1x${minutes}`,
  'mintrail_http_request_duration_seconds_bucket{le="0.1",route="/orders"}': `0+590x${minutes}`,
  'mintrail_http_request_duration_seconds_bucket{le="3",route="/orders"}': `0+600x${minutes}`,
  'mintrail_http_request_duration_seconds_bucket{le="+Inf",route="/orders"}': `0+600x${minutes}`,
  'mintrail_database_connections_awaited{pool="api"}': `0x${minutes}`,
  'mintrail_database_connections{pool="api",state="in use"}': `3x${minutes}`,
  'mintrail_database_connections_limit{pool="api"}': `10x${minutes}`,
  'mintrail_rpc_requests_total{chain="gnosis",endpoint="rpc.example",method="eth_call",result="ok"}': `0+100x${minutes}`,
  'mintrail_rpc_requests_total{chain="gnosis",endpoint="rpc.example",method="eth_call",result="outage"}': `0+5x${minutes}`,
  ...Object.fromEntries(statusAlerts.map((alert) => [seriesOf(alert), `0x${minutes}`])),
});

/** What the alerts of the service fire for, from the fifth minute on. */
const faults: Record<string, Record<string, string>> = {
  process_down: { 'up{job="mintrail",process="api",instance="api:9464"}': '1x4 0x25' },
  status_unread: { mintrail_problems_read_timestamp_seconds: '0+60x4 300x25' },
  requests_failing: { 'mintrail_http_request_duration_seconds_count{status="500"}': '0+1x4 64+60x25' },
  console_requests_failing: { 'mintrail_console_request_duration_seconds_count{status="500"}': '0+1x4 9+6x25' },
  requests_slow: { 'mintrail_http_request_duration_seconds_bucket{le="0.1",route="/orders"}': '0+590x4 2360+100x25' },
  connections_exhausted: {
    'mintrail_database_connections_awaited{pool="api"}': '0x4 7x25',
    'mintrail_database_connections{pool="api",state="in use"}': '3x4 10x25',
  },
  endpoint_failing: {
    'mintrail_rpc_requests_total{chain="gnosis",endpoint="rpc.example",method="eth_call",result="outage"}': '0+5x4 20+100x25',
  },
};

/** A copy of the API that has no connection left, beside another one with the same pool that is well. */
const exhaustedCopy = {
  'mintrail_database_connections_awaited{pool="api",instance="copy:9464"}': '7x30',
  'mintrail_database_connections{pool="api",state="in use",instance="copy:9464"}': '10x30',
  'mintrail_database_connections_limit{pool="api",instance="copy:9464"}': '10x30',
};

describe.skipIf(!hasPromtool)('promtool (Debian: prometheus)', () => {
  it('takes rules and configuration', () => {
    expect(check('rules', 'deploy/prometheus/rules.yml')).toContain(`${alerts.length} rules found`);
    expect(check('config', 'deploy/prometheus/prometheus.yml')).toContain('is valid');
  });

  it('lets each fault of the service raise its alert and no other, after the time that it must last, and none without a fault', () => {
    expect(Object.keys(faults).toSorted()).toEqual(serviceAlerts.map(({ runbook }) => runbook).toSorted());
    const raises = (runbook: string): Query => fires('25m', [runbook]);
    runTests([
      testOf('well', 30, {}, [fires('29m', [])]),
      ...serviceAlerts.map(({ runbook, for: lasting }) =>
        testOf(runbook, 30, faults[runbook] ?? {}, [fires(lasting === '10m' ? '13m' : '4m', []), raises(runbook)]),
      ),
      testOf('no status at all', 30, { mintrail_problems_read_timestamp_seconds: '_x30' }, [raises('status_unread')]),
      testOf('no API to scrape', 30, { 'up{job="mintrail",process="api",instance="api:9464"}': '_x30' }, [raises('process_down')]),
      testOf('no connection left in a copy, while another has some', 30, exhaustedCopy, [raises('connections_exhausted')]),
      testOf('connections in use while nothing waits', 30, { 'mintrail_database_connections{pool="api",state="in use"}': '10x30' }, [
        fires('25m', []),
      ]),
    ]);
  });

  it("links an alert to its runbook at the operator's address, or in the clone without one", () => {
    const alert = statusAlerts.find(({ runbook }) => runbook === 'subscriber_failing') as (typeof statusAlerts)[number];
    const { labels, annotations } = ruleOf(alert);
    const folder = 'https://wiki.example/runbooks';
    const linked = ([address, external_labels]: [string, Record<string, string>]) => ({
      ...testOf(address, 30, { [seriesOf(alert)]: '1x30' }, []),
      external_labels,
      alert_rule_test: [
        {
          eval_time: '20m',
          alertname: alertName(alert.runbook),
          exp_alerts: [
            {
              exp_labels: { ...labels, chain: 'gnosis', kind: alert.runbook },
              exp_annotations: {
                summary: titleOf(catalogue.subscriber_failing),
                description: annotations.description.replace('{{ $value }}', '1'),
                runbook_url: `${address}/subscriber_failing.md`,
              },
            },
          ],
        },
      ],
    });
    runTests([linked([folder, { runbooks: folder }]), linked(['docs/operations/runbooks', {}])]);
  });

  it('lets each problem raise its alert and no other, while it lasts', () => {
    // One after the other: each begins when the one before it has ended.
    const changed: Record<string, string> = {};
    const queries: Query[] = [];
    const lasting = statusAlerts.map((alert) => (alert.for === '10m' ? 12 : 2));
    const minutes = lasting.reduce((sum, each) => sum + each, 10);
    let begins = 5;
    for (const [index, alert] of statusAlerts.entries()) {
      const ends = begins + (lasting[index] ?? 0);
      changed[seriesOf(alert)] = Array.from({ length: minutes }, (_, minute) => (minute >= begins && minute < ends ? 1 : 0)).join(' ');
      if (alert.for !== '0s') queries.push(fires(`${begins}m`, []));
      queries.push(fires(`${ends - 1}m30s`, [alert.runbook]));
      begins = ends;
    }
    runTests([testOf('problems', minutes, changed, [...queries, fires(`${minutes - 1}m`, [])])]);
  });
});

function check(...args: string[]): string {
  return execFileSync('promtool', ['check', ...args], { cwd: project, encoding: 'utf8', stdio: 'pipe' });
}

interface Query {
  expr: string;
  eval_time: string;
  exp_samples: { labels: string; value: number }[];
}

/** Which alerts fire at a time, and no others. */
function fires(eval_time: string, runbooks: string[]): Query {
  const exp_samples = runbooks.map((runbook) => ({ labels: `{alertname="${alertName(runbook)}"}`, value: 1 }));
  return { expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time, exp_samples };
}

function testOf(name: string, minutes: number, changed: Record<string, string>, queries: Query[]) {
  const series = Object.entries({ ...wellFor(minutes), ...changed }).map(([series, values]) => ({ series, values }));
  return { name, interval: '1m', input_series: series, promql_expr_test: queries };
}

function runTests(tests: object[]): void {
  const file = path.join(folder, 'rules.test.yml');
  const text = stringify({ rule_files: [path.join(project, 'deploy/prometheus/rules.yml')], evaluation_interval: '1m', tests });
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  expect(stdout + stderr).toContain('SUCCESS');
  expect(status).toBe(0);
}

/** What the common worker serves of a kind. */
function seriesOf({ runbook }: { runbook: string }): string {
  return `mintrail_problems{chain="gnosis",kind="${runbook}"}`;
}
