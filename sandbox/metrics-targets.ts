import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The name of the list of targets in the data folder of a sandbox. */
export const metricsTargetsFile = 'prometheus-targets.json';

/** The ports on which a sandbox's processes serve metrics: `METRICS_PORT` for the first, the next port for the next. Without it none. */
export function portsOfMetrics(first: number | undefined, processes: readonly string[]): Map<string, number> {
  return first === undefined ? new Map() : new Map(processes.map((name, index) => [name, first + index]));
}

/** Writes the processes that serve metrics as Prometheus' file_sd_configs read them. Without any the file of an earlier start is removed. */
export function writeMetricsTargets(dataDir: string, ports: ReadonlyMap<string, number>): void {
  const file = path.join(dataDir, metricsTargetsFile);
  if (ports.size === 0) return rmSync(file, { force: true });
  const groups = [...ports].map(([name, port]) => ({ targets: [`127.0.0.1:${port}`], labels: { process: name } }));
  writeFileSync(file, `${JSON.stringify(groups, null, 2)}\n`);
}
