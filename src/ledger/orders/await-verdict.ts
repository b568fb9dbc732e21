import { StopError } from '../../platform/errors.ts';
import { signatureState } from './signature-queries.ts';
import type { Ledger } from '../ledger.ts';

/** Milliseconds that a client's request waits for a network's worker to decide a signature. */
export const verdictTimeoutMs = 3_000;

/** First and longest pause between two queries: a verdict usually takes a single call to a node. */
const firstPauseMs = 20;
const longestPauseMs = 200;

/** The verdict on a signature request, or `pending` when it takes longer than a client can wait. */
export async function awaitVerdict(ledger: Ledger, signatureRequest: string): ReturnType<typeof signatureState> {
  const deadline = Date.now() + verdictTimeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const decided = await signatureState(ledger, signatureRequest);
    if (decided.state !== 'pending' || Date.now() + pauseMs > deadline) return decided;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** With what the reason of a request begins whose signature was checked and is invalid; behind it stands why. */
const prefix = 'invalid signature: ';

/** The reason that is recorded of an invalid signature; `why` is a clause for its owner. */
export function invalidSignatureReason(why: string): string {
  return `${prefix}${why}`;
}

/** The error `invalid_request` under `signature`, with what is known of it: a reason that was recorded. */
export function invalidSignature(reason: string | null): StopError {
  const why = reason?.startsWith(prefix) === true ? reason.slice(prefix.length) : undefined;
  return new StopError({
    code: 'invalid_request',
    message: 'Validation errors',
    fields: { signature: 'invalid signature' },
    ...(why === undefined ? {} : { details: { signature: asSentence(why) } }),
  });
}

function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
