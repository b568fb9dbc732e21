import performanceHooks from 'node:perf_hooks';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, it } from 'vitest';

it('has the event loop sampled ten times a second, however often Ponder asks for it', async () => {
  const resolutions: (number | undefined)[] = [];
  const { monitorEventLoopDelay } = performanceHooks;
  performanceHooks.monitorEventLoopDelay = (options) => {
    resolutions.push(options?.resolution);
    return monitorEventLoopDelay(options);
  };
  await import('../../../src/workers/indexer/event-loop-sampling.ts');
  // As Ponder calls it.
  collectDefaultMetrics({ register: new Registry(), eventLoopMonitoringPrecision: 1 });
  expect(resolutions).toEqual([100]);
});
