import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { createSandboxRun } from './sandbox-run.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the sandbox that the files of the group `sandbox` share. */
    sandboxFolder: string;
    /** Starts the sandbox when it is first asked, and answers with its file once it is ready. */
    sandboxStarter: string;
    /** The port to which its processes send their traces. Nobody listens there until a test does. */
    collectorPort: number;
  }
}

/** Makes ready the sandbox that the files of this group share, with the networks that they use. It starts when the first of them asks for it by `sharedSandbox`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Below those that the system gives to connections (from 32,768 on): one of them would have it by the time a test listens there.
  const collectorPort = await freePort(20_000 + Math.floor(Math.random() * 10_000));
  const run = await createSandboxRun(['--chain', 'chiado', '--chain', 'arbitrumsepolia'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
  });
  let started: Promise<SandboxFile> | undefined;
  const starter = createServer((_, response) => {
    started ??= run.start();
    void started.then(
      (file) => response.end(JSON.stringify(file)),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n${run.logTails()}`),
    );
  });
  await once(starter.listen(0, '127.0.0.1'), 'listening');
  project.provide('sandboxFolder', run.dataDir);
  project.provide('sandboxStarter', `http://127.0.0.1:${(starter.address() as AddressInfo).port}`);
  project.provide('collectorPort', collectorPort);
  return async () => {
    starter.close();
    if (started) {
      await started.catch(() => undefined);
      await run.stop();
    }
    run.remove();
  };
}
