import type { Hex } from 'viem';
import type { Evidence } from '../chain/evidence/evidence.ts';
import type { TransactionEvidence } from '../chain/evidence/mined-transaction.ts';
import type { LoggedOutcome } from '../chain/token/outcome-logs.ts';
import { refusalText } from '../indexed/refusals.ts';
import type { IndexedOutcome, TransactionInBlock } from '../ledger/lanes/decided-legs.ts';

/** What the endpoints say of the transactions in which indexed outcomes are said to lie. */
export type Proof<Outcome extends IndexedOutcome = IndexedOutcome> =
  /** `unproven` are the transactions in which the chain does not have what the index shows. */
  | { state: 'complete'; proven: Outcome[]; unproven: (TransactionInBlock & { text: string })[] }
  | { state: 'disagreement'; text: string }
  | { state: 'unavailable'; reason: string };

/** Transactions that are looked at together: few enough for the request limits of endpoints. */
const transactionsAtOnce = 8;

/**
 * Looks at the receipt of each transaction once. Ends with the first that the endpoints disagree about or do not answer for. A receipt that does not
 * prove all that the index shows is asked for again at the next head: the endpoints may err for a while, as the index may.
 */
export async function proveOutcomes<Outcome extends IndexedOutcome>(
  evidence: Evidence,
  outcomes: readonly Outcome[],
): Promise<Proof<Outcome>> {
  const transactions = [...Map.groupBy(outcomes, ({ txHash, blockNumber }) => `${txHash} ${blockNumber}`).values()];
  const proof: Extract<Proof<Outcome>, { state: 'complete' }> = { state: 'complete', proven: [], unproven: [] };
  for (let first = 0; first < transactions.length; first += transactionsAtOnce) {
    const group = transactions.slice(first, first + transactionsAtOnce);
    const answers = await Promise.all(group.map(([outcome]) => evidence.transaction(outcome?.txHash as Hex, outcome?.blockNumber ?? 0n)));
    for (const [index, ofTransaction] of group.entries()) {
      const said = answers[index] as TransactionEvidence;
      const [{ txHash, blockNumber }] = ofTransaction as [Outcome];
      if (said.verdict === 'disagreement') return { state: 'disagreement', text: `transaction ${txHash}: ${said.text}` };
      if (said.verdict === 'unavailable') return { state: 'unavailable', reason: `transaction ${txHash}: ${said.reason}` };
      const logged = loggedIn(said, blockNumber);
      const proven = ofTransaction.filter((outcome) => logged.has(keyOf(outcome)));
      proof.proven.push(...proven);
      if (proven.length === ofTransaction.length) continue;
      evidence.doubt(txHash as Hex);
      proof.unproven.push({ txHash, blockNumber, text: describe(said, ofTransaction.length - proven.length) });
    }
  }
  return proof;
}

/** The keys of the outcomes that a transaction has logged, if it is in this block. */
function loggedIn(said: TransactionEvidence, blockNumber: bigint): ReadonlySet<string> {
  if (said.verdict !== 'mined' || said.status !== 'success' || said.blockNumber !== blockNumber) return new Set();
  return new Set(said.outcomes.map((outcome) => keyOf(asIndexed(outcome))));
}

type Facts = Omit<IndexedOutcome, 'txHash' | 'blockNumber'>;

function asIndexed({ refusal, amount, sequence, ...outcome }: LoggedOutcome): Facts {
  const refused = refusal === null ? null : refusalText(outcome.kind, refusal);
  return { ...outcome, amount: amount.toString(), sequence: sequence?.toString() ?? null, refused };
}

/** The same for outcomes that are the same in all that the log says. */
function keyOf({ kind, token, orderId, account, amount, sequence, messageHash, refused }: Facts): string {
  return JSON.stringify([kind, token, orderId, account, amount, sequence, messageHash, refused]);
}

function describe(evidence: TransactionEvidence, missing: number): string {
  if (evidence.verdict !== 'mined') return `the index has outcomes of ${missing} legs in a transaction that is in no block of the chain`;
  return `the index has outcomes of ${missing} legs that are not in the transaction's receipt (block ${evidence.blockNumber}, ${evidence.status})`;
}
