import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { FailedTests } from './test/runner/failed-tests.ts';
import { HeaviestFirst } from './test/runner/heaviest-first.ts';
import { SlowestFiles } from './test/runner/slowest-files.ts';
import { groupTestFiles, type TestGroup } from './test/runner/test-groups.ts';

const groups = groupTestFiles();

/** Their tests start nothing: hundreds of files run faster in a few processes than each in its own. */
const sharedProcesses = { isolate: false, setupFiles: ['test/runner/shared-process.ts'] };

/**
 * They wait for chains, databases and processes most of the time: more of them than cores keep the cores busy. Timeouts are
 * for slow machines; quick ones never wait.
 */
const parts = { maxWorkers: 4, testTimeout: 120_000, hookTimeout: 180_000, sequence: { groupOrder: 0 } };

/** Each runs the whole service and kills parts of it: after all others, and no more than two at a time. */
const scenarios = { maxWorkers: 2, testTimeout: 300_000, hookTimeout: 600_000, sequence: { groupOrder: 1 } };

export default defineConfig({
  // As those who install the client import it.
  resolve: { alias: { 'mintrail/client': fileURLToPath(new URL('src/client/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    reporters: ['default', new SlowestFiles(), new FailedTests()],
    sequence: { sequencer: HeaviestFirst },
    // The default is a second, which a busy machine does not keep.
    expect: { poll: { timeout: 60_000 } },
    // What was found instead is seen in the list of what failed, and not only how many.
    chaiConfig: { truncateThreshold: 1_000 },
    projects: [
      project('units', { ...parts, ...sharedProcesses }),
      project('database', { ...parts, ...sharedProcesses }),
      project('processes', parts),
      project('scenarios', scenarios),
    ],
  },
});

function project(name: TestGroup, options: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return { extends: true, test: { ...options, name, include: groups[name] } };
}
