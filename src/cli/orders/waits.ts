import type { LegWait } from '../../ledger/orders/leg-waits.ts';
import { describeAwaited } from '../../trace/leg-wait-text.ts';
import { formatDuration, formatTime } from '../output.ts';

/** What an open leg waits for, in words, and since when. */
export function describeWait(wait: LegWait, now: Date): string {
  const seconds = (now.getTime() - wait.since.getTime()) / 1000;
  const failures = wait.failures === 0 ? '' : `; transactions that did not carry it out: ${wait.failures}`;
  return `${wait.kind} waits for ${describeAwaited(wait, formatTime)}, due for ${formatDuration(seconds)}${failures}`;
}
