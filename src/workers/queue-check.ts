import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { Waker } from '../platform/queue/waker.ts';
import type { Alarms } from './alarms.ts';

/** What the check of the queues needs; its alarm is in the heartbeat of the common worker. */
export interface QueueCheckDependencies {
  waker: Pick<Waker, 'check'>;
  log: Log;
  alarms: Alarms;
  intervalMs?: number;
}

const defaultIntervalMs = 5_000;

/** Raises an alarm while Redis does not take wake-ups at two checks in a row. */
export function startQueueCheck({ waker, log, alarms, intervalMs = defaultIntervalMs }: QueueCheckDependencies): Loop {
  let failures = 0;
  return startLoop({
    name: 'queue check',
    intervalMs,
    log,
    async turn() {
      const outage = await waker.check();
      failures = outage === undefined ? 0 : failures + 1;
      if (outage === undefined) alarms.clear('queue_unreachable', 'redis');
      else if (failures > 1) alarms.raise('queue_unreachable', 'redis', textOf(outage));
    },
  });
}

function textOf(outage: string): string {
  return `Redis takes no wake-ups: ${outage}. Sweeps find the work some seconds later, and nothing is lost: look at the server of REDIS_URL`;
}
