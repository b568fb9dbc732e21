import { defineConfig } from 'vitest/config';

const scenarios = 'test/scenarios/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [scenarios],
          // They wait for chains, databases and processes most of the time: more of them than cores keep the cores busy.
          maxWorkers: 3,
          // Real databases, chains and processes: slow machines need patience, quick ones never wait.
          testTimeout: 120_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'scenarios',
          include: [scenarios],
          // Each runs the whole service and kills parts of it: one after the other, with the machine to itself.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
