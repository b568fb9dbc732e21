import type { Waker } from '../../src/platform/queue.ts';

/** For loops that are to find their work by themselves. */
export const noWakeUps: Pick<Waker, 'listen'> = { listen: () => ({ async close() {} }) };
