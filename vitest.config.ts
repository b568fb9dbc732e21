import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Real databases, chains and processes: slow machines need patience, quick ones never wait.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
