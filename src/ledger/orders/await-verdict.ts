import { signatureState } from './signature-queries.ts';
import type { Ledger } from '../ledger.ts';

/** Milliseconds that a client's request waits for a network's worker to decide a signature. */
const verdictTimeoutMs = 3_000;

/** First and longest pause between two queries: a verdict usually takes a single call to a node. */
const firstPauseMs = 20;
const longestPauseMs = 200;

/** The verdict on a signature request, or `pending` when it takes longer than a client can wait. */
export async function awaitVerdict(ledger: Ledger, signatureRequest: string): ReturnType<typeof signatureState> {
  return awaitState(ledger, signatureRequest, ({ state }) => state !== 'pending');
}

/** The state of a request for a signature on chain, as soon as it is known whether the account signs in time, or too late for the client. */
export async function awaitSigningTime(ledger: Ledger, signatureRequest: string): ReturnType<typeof signatureState> {
  return awaitState(ledger, signatureRequest, ({ state, signedAfter }) => state !== 'pending' || signedAfter === null);
}

type State = Awaited<ReturnType<typeof signatureState>>;

async function awaitState(ledger: Ledger, signatureRequest: string, isReached: (state: State) => boolean): Promise<State> {
  const deadline = Date.now() + verdictTimeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const state = await signatureState(ledger, signatureRequest);
    if (isReached(state) || Date.now() + pauseMs > deadline) return state;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
