import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { project } from '../../docs/pages.ts';
import { until } from '../until.ts';

/** Whether Prometheus is installed (Debian: prometheus). */
export const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

/** A series with its newest value. */
export interface Sample {
  metric: Record<string, string>;
  value: [time: number, value: string];
}

/** A Prometheus on loopback with the configuration of deploy/, whose durations are a sixtieth. */
export interface TestPrometheus {
  query: (expr: string) => Promise<Sample[]>;
  /** The names of the alerts that fire. */
  firing: () => Promise<string[]>;
  close: () => Promise<void>;
}

/** Durations of the rules and scrapes are divided by this: what takes ten minutes in production takes ten seconds. */
const scale = 60;

/** Starts a Prometheus that scrapes the processes of a list of targets, such as that of a sandbox. */
export async function startPrometheus(targetsFile: string): Promise<TestPrometheus> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-prometheus-'));
  const source = path.join(project, 'deploy/prometheus');
  mkdirSync(path.join(folder, 'targets'));
  writeFileSync(path.join(folder, 'targets/sandbox.json'), readFileSync(targetsFile));
  writeFileSync(path.join(folder, 'rules.yml'), scaled(readFileSync(path.join(source, 'rules.yml'), 'utf8')));
  const config = readFileSync(path.join(source, 'prometheus.yml'), 'utf8').replaceAll(/: (?:10|15)s$/gm, ': 1s');
  writeFileSync(path.join(folder, 'prometheus.yml'), config);
  const port = await freePort();
  const options = [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn('prometheus', options, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const query = async (expr: string): Promise<Sample[]> => {
    const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
    const answer = (await response.json()) as { status: string; error?: string; data: { result: Sample[] } };
    if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error}`);
    return answer.data.result;
  };
  await until('Prometheus is ready', async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok || undefined);
  return {
    query,
    firing: async () =>
      (await query('count by (alertname) (ALERTS{alertstate="firing"})')).map(({ metric }) => metric['alertname'] ?? '').toSorted(),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The rules with shorter durations: what they ask and compare stays as it is. */
function scaled(rules: string): string {
  return rules
    .replaceAll(/^( +for: )(\d+)([ms])$/gm, (_, key: string, count: string, unit: string) => `${key}${milliseconds(count, unit)}`)
    .replaceAll('[5m]', '[10s]');
}

function milliseconds(count: string, unit: string): string {
  return `${(Number(count) * (unit === 'm' ? 60_000 : 1_000)) / scale}ms`;
}
