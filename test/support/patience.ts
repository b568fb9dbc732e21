/** Longest that a test waits for a condition: no machine is as slow. How long things take is measured by bench/. */
export const patienceMs = 240_000;

/** For `vi.waitFor`, which otherwise waits a second. */
export const patience = { timeout: patienceMs, interval: 50 };
