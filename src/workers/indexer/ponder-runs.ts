import { constrainedMemory } from 'node:process';
import { totalmem } from 'node:os';
import type { Exit } from '../../platform/process/guarded-process.ts';

/** V8's limit for old objects at the first start: a guard and no budget; a past of 100,000 events takes half of it. */
const firstHeapMegabytes = 1_024;

/** The limit grows to this, or to half of the memory where that is less. */
const largestHeapMegabytes = 4_096;

/** A Ponder that was ready for this long has recovered from what ended the ones before it. */
const recoveredMs = 60_000;

/** So many starts in a row that fail are no accident. */
const failedStartsOfDamage = 3;

/** Ponder's codes for an error that no restart mends, and for one that a restart may mend, which damaged tables are to it. */
const failures = new Set<number | null>([1, 75]);

/** Between two reports that the database lets through. */
const longestSilenceMs = 20_000;

/** V8 aborts the process when its heap is full, by one of these signals or by a code of 128 plus the signal's number. */
const aborts = new Set<string | number | null>(['SIGABRT', 'SIGTRAP', 133, 134]);

/** The ends of a Ponder that ends again and again. */
export interface PonderEnds {
  count: number;
  /** When the first of them was. */
  since: string;
  /** Signal or exit code of the newest. */
  last: string;
}

/** Remembers how Ponder ended, and so how it is started again. */
export interface PonderRuns {
  /** V8's limit for old objects at the next start, in megabytes. */
  heapMegabytes(): number;
  /** Records that Ponder has ended. After an abort the next start has twice as much heap, as far as the machine allows; answers whether it has. */
  ended(exit: Exit): boolean;
  /** Records every few seconds whether it is ready, and whether an endpoint answers. One that stays ready has recovered. */
  reported(ready: boolean, endpointsAnswer: boolean): void;
  /** How it ended since it last recovered. */
  ends(): PonderEnds | undefined;
  /** Whether it has ended several times in a row with an error, although database and endpoints answered all the time: its tables may be damaged. */
  failsAtStart(): boolean;
}

/** Begins without any end; `now` is in milliseconds. */
export function createPonderRuns(mostMegabytes = affordableMegabytes(), now: () => number = Date.now): PonderRuns {
  let heapMegabytes = firstHeapMegabytes;
  let ends: PonderEnds | undefined;
  let readySince: number | undefined;
  let failedStarts = 0;
  let hadOutage = false;
  let reportedAt = now();
  return {
    heapMegabytes: () => heapMegabytes,
    ends: () => ends,
    failsAtStart: () => failedStarts >= failedStartsOfDamage,
    ended(exit) {
      readySince = undefined;
      const isOwnFault = failures.has(exit.code) && !hadOutage && now() - reportedAt <= longestSilenceMs;
      failedStarts = isOwnFault ? failedStarts + 1 : 0;
      hadOutage = false;
      const last = exit.signal ?? `exit code ${exit.code}`;
      ends = { count: (ends?.count ?? 0) + 1, since: ends?.since ?? new Date(now()).toISOString(), last };
      const next = isAborted(exit) ? Math.min(heapMegabytes * 2, Math.max(mostMegabytes, firstHeapMegabytes)) : heapMegabytes;
      const hasGrown = next > heapMegabytes;
      heapMegabytes = next;
      return hasGrown;
    },
    reported(ready, endpointsAnswer) {
      hadOutage ||= !endpointsAnswer || now() - reportedAt > longestSilenceMs;
      reportedAt = now();
      if (!ready) readySince = undefined;
      else readySince ??= now();
      if (readySince !== undefined && now() - readySince >= recoveredMs) {
        ends = undefined;
        failedStarts = 0;
      }
    },
  };
}

function isAborted({ code, signal }: Exit): boolean {
  return aborts.has(signal ?? code);
}

/** The largest limit that this machine, or this container, affords. */
function affordableMegabytes(): number {
  const limit = constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.min(largestHeapMegabytes, Math.floor(bytes / 2 / 1024 / 1024));
}
