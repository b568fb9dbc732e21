import { expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { startBesideOthers } from '../../src/workers/start-beside-others.ts';

it('the part of a network whose start hangs can be closed like the others, and is closed once it has started', async () => {
  const start = Promise.withResolvers<{ close(): Promise<void> }>();
  const part = startBesideOthers(() => start.promise, createLog('silent'));
  const closing = part.close();
  let isClosed = false;
  start.resolve({ close: async () => void (isClosed = true) });
  await closing;
  expect(isClosed).toBe(true);
});
