import { afterAll, vi } from 'vitest';

// The next file runs in the same process.
afterAll(() => {
  vi.unstubAllEnvs().unstubAllGlobals().restoreAllMocks().useRealTimers();
});
