/** Longest that a test waits for a condition: no machine is as slow. How long things take is measured by bench/. */
export const patienceMs = 600_000;

/** Longest that a test, or a hook, takes on such a machine; those that repeat what they do for each seed of a campaign add to it. */
export const longestTestMs = 1_800_000;

/** For `vi.waitFor`, which otherwise waits a second. */
export const patience = { timeout: patienceMs, interval: 50 };
