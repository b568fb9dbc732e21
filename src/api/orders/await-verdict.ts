import type { Ledger } from '../../ledger/ledger.ts';
import { signatureState } from '../../ledger/orders/signature-requests.ts';

/** How long a client waits for a network's worker to decide a signature (architecture, Chain worker). */
const patienceMs = 3_000;

/** First and longest pause between two looks, in milliseconds: a verdict usually takes one call to a node. */
const firstPauseMs = 20;
const longestPauseMs = 200;

/** The verdict on a signature, or `pending` when it takes longer than a client can wait. */
export async function awaitVerdict(ledger: Ledger, id: string): ReturnType<typeof signatureState> {
  const deadline = Date.now() + patienceMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const found = await signatureState(ledger, id);
    if (found.state !== 'pending' || Date.now() + pause > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
