import type { Waker } from '../../src/platform/queue/waker.ts';

/** A waker that never wakes: the loops under test find their work by their sweeps alone. */
export const noWakeUps: Pick<Waker, 'listen'> = { listen: () => ({ async close() {} }) };
