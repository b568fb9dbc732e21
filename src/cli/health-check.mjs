// Whether the Mintrail process of this container works: exit code 0, else 1. The image's HEALTHCHECK; it must be quick and need little memory.
import { readFileSync } from 'node:fs';

const { PORT, METRICS_PORT } = process.env;
// Process 1 of the container is the one that is checked; a test names another command line.
const args = readFileSync(process.argv[2] ?? '/proc/1/cmdline', 'utf8').split('\0');

/** Where each kind of process answers. A command that serves nothing, such as `migrate`, works while it runs. */
const address = args.includes('api')
  ? `http://127.0.0.1:${PORT || 3000}/health/live`
  : METRICS_PORT && ['console', 'worker', 'indexer'].some((command) => args.includes(command))
    ? `http://127.0.0.1:${METRICS_PORT}/metrics`
    : undefined;

if (address !== undefined) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
  process.exitCode = answer?.ok ? 0 : 1;
}
