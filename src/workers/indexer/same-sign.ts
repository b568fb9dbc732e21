import { z } from 'zod';
import { listHeartbeats } from '../../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Chain } from '../../platform/chains.ts';
import { longestPauseMs } from './silence.ts';

/** What each indexer of a network reports: the last sign of life of its Ponder, and for how long it has been the same. */
const reportSchema = z.object({ sameSign: z.object({ sign: z.string(), milliseconds: z.number() }) });

/**
 * Creates the answer for how many milliseconds the Ponder of a network has given the same sign of life, as {@link sameSignMs} reads it from the reports. They are read
 * for a new sign, and after a pause; in between a process that looks every few seconds counts on by itself.
 */
export function createSameSign(ledger: Ledger, chain: Chain, now: () => number = Date.now): (sign: string | undefined) => Promise<number> {
  let last: { sign: string | undefined; since: number; readAt: number } | undefined;
  return async (sign) => {
    const readAt = now();
    const isCounted = last !== undefined && last.sign === sign && readAt - last.readAt <= longestPauseMs;
    const since = isCounted && last !== undefined ? last.since : readAt - (await sameSignMs(ledger, chain, sign));
    last = { sign, since, readAt };
    return sign === undefined ? 0 : readAt - since;
  };
}

/**
 * Milliseconds for which the Ponder of a network has given the same sign of life, by what its indexers have reported, at least every ten seconds: a process that was away
 * for a while goes on from what its double has seen, also when they take turns so fast that neither sees a silence by itself. 0 without a sign.
 */
export async function sameSignMs(ledger: Ledger, chain: Chain, sign: string | undefined): Promise<number> {
  const seen = (await listHeartbeats(ledger)).flatMap((beat) => {
    const { data } = reportSchema.safeParse(beat.facts);
    const age = beat.age * 1_000;
    const isSame = beat.component === 'indexer' && beat.chain === chain && age <= longestPauseMs && data?.sameSign.sign === sign;
    return isSame && data !== undefined ? [data.sameSign.milliseconds + age] : [];
  });
  return Math.max(0, ...seen);
}
