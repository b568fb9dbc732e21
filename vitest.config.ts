import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { compileEnvironment } from './src/cli/node-runtime.mjs';
import { FailedTests } from './test/runner/failed-tests.ts';
import { memoryFolder } from './test/runner/memory-folder.ts';
import { RandomOrder } from './test/runner/random-order.ts';
import { RunTable } from './test/runner/run-table.ts';
import { longestTestMs, patienceMs } from './test/support/patience.ts';

process.env['TMPDIR'] = memoryFolder();

// The processes of the tests, and what they start, load what others have compiled before: that saves a third of the loading.
Object.assign(process.env, compileEnvironment);

/** Hundreds of files run faster in a few processes than each in its own: half of the time of a short one is the loading of what it imports. */
const sharedProcess = { isolate: false, setupFiles: ['test/runner/shared-process.ts'] };
const startsNothing = { isolate: false, setupFiles: [...sharedProcess.setupFiles, 'test/runner/no-processes.ts'] };

/** Timeouts are for slow machines; quick ones never wait. More files at once than two cores: a file that starts processes uses a fifth of one, one with a sandbox a third. */
const patient = { testTimeout: longestTestMs, hookTimeout: longestTestMs, maxWorkers: 5 };

export default defineConfig({
  // As those who install the client import it.
  resolve: { alias: { 'mintrail-client': fileURLToPath(new URL('client/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    reporters: ['default', new RunTable(), new FailedTests()],
    sequence: { sequencer: RandomOrder },
    // The default is a second, which a busy machine does not keep.
    expect: { poll: { timeout: patienceMs } },
    // What was found instead is seen in the list of what failed, and not only how many.
    chaiConfig: { truncateThreshold: 1_000 },
    projects: [
      // Starts nothing.
      group('unit', startsNothing),
      // Has a database on the PostgreSQL that all tests share.
      group('db', startsNothing),
      // Starts processes, such as a chain or the command line.
      group('process', sharedProcess),
      // Runs the whole service.
      group('scenario', sharedProcess),
      // Uses a running service that all its files share.
      group('sandbox', { ...sharedProcess, globalSetup: ['test/scenarios/shared-sandbox-setup.ts'] }),
      // Measures its own process, in which nothing else may run.
      group('alone', {}),
    ],
  },
});

function group(name: string, options: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return { extends: true, test: { ...patient, ...options, name, include: [`test/**/*.${name}.test.ts`] } };
}
