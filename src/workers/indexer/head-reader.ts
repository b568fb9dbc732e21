import type { Position } from './lag-watch.ts';

/** A look is waited for this long: the heartbeat of an indexer does not wait for an endpoint that does not answer. */
const longestWaitMs = 2_000;

/** After this time the endpoint is asked again, although it may still answer: what it was asked while it hung may never be answered. */
const longestLookMs = 5_000;

/** A head that was asked for so long ago still counts: one look that fails is no outage. */
const longestKnownMs = 15_000;

/**
 * Reads the head of a chain by `look`, whose promise must end some time. The returned function never throws. It answers within two seconds: with the newest
 * head that an endpoint has named to a look of the last 15 seconds, or with undefined.
 */
export function createHeadReader(look: () => Promise<bigint>): () => Promise<Position['head']> {
  let known: { head: bigint; at: number } | undefined;
  let latest: { at: number; ended: Promise<void>; hasEnded: boolean } | undefined;

  const startLook = () => {
    const at = Date.now();
    const noteHead = (head: bigint) => {
      if (known === undefined || at >= known.at) known = { head, at };
    };
    const ended = look().then(noteHead, () => {});
    const started = { at, ended: ended.then(() => void (started.hasEnded = true)), hasEnded: false };
    return started;
  };

  return async () => {
    if (latest === undefined || latest.hasEnded || Date.now() - latest.at >= longestLookMs) latest = startLook();
    await within(longestWaitMs, latest.ended);
    return known !== undefined && Date.now() - known.at < longestKnownMs ? known.head : undefined;
  };
}

async function within(milliseconds: number, ended: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([ended, timeout]);
  clearTimeout(timer);
}
