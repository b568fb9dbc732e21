// Whether the Mintrail process of this container works: exit code 0, else 1. The image's HEALTHCHECK; it must be quick and need little memory.
import { readFileSync } from 'node:fs';

const { PORT, METRICS_PORT } = process.env;
const args = readFileSync('/proc/1/cmdline', 'utf8').split('\0');

/** Where each kind of process answers. An indexer has no port of its own: its heartbeat is watched by the common worker. */
const address = args.includes('api')
  ? `http://127.0.0.1:${PORT || 3000}/health/live`
  : args.includes('worker') && METRICS_PORT
    ? `http://127.0.0.1:${METRICS_PORT}/metrics`
    : undefined;

if (address !== undefined) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
  process.exitCode = answer?.ok ? 0 : 1;
}
