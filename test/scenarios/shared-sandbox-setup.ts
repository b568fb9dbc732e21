import type { TestProject } from 'vitest/node';
import { freePort } from '../../src/platform/process/free-port.ts';
import { createSandboxRun } from './sandbox-run.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the sandbox that the files of the group `sandbox` share. */
    sandboxFolder: string;
    /** The port to which its processes send their traces. Nobody listens there until a test does. */
    collectorPort: number;
  }
}

/** Starts the sandbox that the files of this group share. It starts beside the first tests: they wait for it by `sharedSandbox`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const collectorPort = await freePort();
  const run = await createSandboxRun([], { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}` });
  project.provide('sandboxFolder', run.dataDir);
  project.provide('collectorPort', collectorPort);
  const started = run.start().catch((error: unknown) => console.error(error, run.logTails()));
  return async () => {
    await started;
    await run.stop();
    run.remove();
  };
}
