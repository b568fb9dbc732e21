import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Hex, TransactionReceipt } from 'viem';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { describeRpcError } from '../node-answer.ts';
import type { EndpointAnswers } from './endpoint-answers.ts';
import { type LoggedOutcome, outcomesOf } from '../token/outcome-logs.ts';

/** What a quorum of the endpoints says of a transaction. */
export type TransactionEvidence =
  | {
      /** It is in a canonical block that the confirmation policy covers, with this receipt. */
      verdict: 'mined';
      blockNumber: bigint;
      blockHash: Hex;
      status: TransactionReceipt['status'];
      outcomes: LoggedOutcome[];
    }
  /** None of them has it in a block that the confirmation policy covers. */
  | { verdict: 'not mined' }
  /** They contradict each other, or one of them itself: nobody knows which of them lies. */
  | { verdict: 'disagreement'; text: string }
  /** Fewer than a quorum answered. */
  | { verdict: 'unavailable'; reason: string };

/** An endpoint, and the newest block that it claims the confirmation policy covers. */
export interface Witness {
  endpoint: Endpoint;
  upTo: bigint;
}

type Mined = Extract<TransactionEvidence, { verdict: 'mined' }>;

/** What one endpoint says of a transaction; `text` is the same for endpoints that say the same. It is in no block where it is neither mined nor contradicts itself. */
interface Testimony {
  endpoint: Endpoint;
  text: string;
  mined: Mined | undefined;
  contradictsItself: boolean;
}

/** An answer is waited for this long before another witness is asked too. */
const patienceMs = 500;

/**
 * Asks as many witnesses as a quorum needs for the receipt of a transaction and for the block of its number, in their order; the others stand in for those that
 * do not answer, or not soon, and where some say that the transaction is in no block and others have its receipt. A quorum that has the same receipt is believed
 * against those, and their health notes that they lack it; who claims another outcome makes a disagreement, however many contradict it.
 * Takes at most two calls at each, fewer where `answers` has them, and two more where they do not fit together.
 */
export async function examineTransaction(
  answers: EndpointAnswers,
  witnesses: readonly Witness[],
  quorum: number,
  hash: Hex,
): Promise<TransactionEvidence> {
  const testimonies: Testimony[] = [];
  const silent: string[] = [];
  const open = new Set<Promise<void>>();
  const ordered = witnesses.toSorted((a, b) => Number(lacksReceipts(a)) - Number(lacksReceipts(b)));
  let heard = 0;
  const hearNext = (witness: Witness) => {
    heard += 1;
    const attempt = testify(answers, witness, hash)
      .then(
        (testimony) => void testimonies.push(testimony),
        (error: unknown) => void silent.push(`${witness.endpoint.name}: ${describeRpcError(error)}`),
      )
      .finally(() => open.delete(attempt));
    open.add(attempt);
  };
  let late = 0;
  while (testimonies.length < needed(testimonies, quorum)) {
    const most = needed(testimonies, quorum) + late;
    for (let next = ordered[heard]; next && testimonies.length + open.size < most; next = ordered[heard]) hearNext(next);
    if (open.size === 0) break;
    const patience = new AbortController();
    const isLate = await Promise.race([
      ...[...open].map((attempt) => attempt.then(() => false)),
      ...(heard < ordered.length ? [setTimeout(patienceMs, true, { signal: patience.signal }).catch(() => true)] : []),
    ]);
    patience.abort();
    if (isLate) late += 1;
  }
  return judge([...testimonies], quorum, silent);
}

const receiptMethod = 'eth_getTransactionReceipt';

const lacksReceipts = ({ endpoint }: Witness): boolean => endpoint.health?.failures.has(receiptMethod) ?? false;

/** Those that deny that the transaction is in a block, the others, and whether those say the same and fit with themselves. */
function parties(testimonies: readonly Testimony[]) {
  const denials = testimonies.filter((said) => !said.mined && !said.contradictsItself);
  const claims = testimonies.filter((said) => !denials.includes(said));
  const agree = claims.length > 0 && claims.every(({ mined, text }) => mined && text === claims[0]?.text);
  return { denials, claims, agree };
}

/** How many testimonies decide. Where some deny what others have, further ones are heard in their place. */
function needed(testimonies: readonly Testimony[], quorum: number): number {
  const { denials, agree } = parties(testimonies);
  return agree ? quorum + denials.length : quorum;
}

function judge(testimonies: readonly Testimony[], quorum: number, silent: readonly string[]): TransactionEvidence {
  const { denials, claims, agree } = parties(testimonies);
  const isProven = agree && claims.length >= quorum;
  if (isProven)
    for (const { endpoint } of denials)
      endpoint.health?.failures.note(receiptMethod, new Error('it has no receipt of a transaction that others have'));
  const [first] = isProven ? claims : testimonies;
  if (!isProven && testimonies.some(({ text, contradictsItself }) => contradictsItself || text !== first?.text))
    return { verdict: 'disagreement', text: testimonies.map(({ endpoint, text }) => `${endpoint.name} has it ${text}`).join(', ') };
  if (!first || testimonies.length < quorum)
    return { verdict: 'unavailable', reason: [`${testimonies.length} of ${quorum} endpoints answer`, ...silent].join('; ') };
  return first.mined ?? { verdict: 'not mined' };
}

async function testify(answers: EndpointAnswers, witness: Witness, hash: Hex): Promise<Testimony> {
  const testimony = await hear(answers, witness, hash);
  if (!testimony.contradictsItself) return testimony;
  // The endpoint may have said one thing before its chain changed, and the other since.
  answers.forget();
  return hear(answers, witness, hash);
}

async function hear(answers: EndpointAnswers, { endpoint, upTo }: Witness, hash: Hex): Promise<Testimony> {
  const said = { endpoint, mined: undefined, contradictsItself: false };
  const receipt = await answers.receipt(endpoint, hash);
  if (!receipt) return { ...said, text: 'in no block' };
  const { blockNumber, blockHash, status } = receipt;
  // Its block has changed since it was indexed, and this endpoint cannot say yet whether the new one stays.
  if (blockNumber > upTo) throw new Error(`it has the transaction in block ${blockNumber}, and only ${upTo} is confirmed there`);
  const canonical = await answers.blockHash(endpoint, blockNumber);
  const where = `in block ${blockNumber} (${blockHash})`;
  if (canonical !== blockHash || receipt.transactionHash !== hash)
    return { ...said, text: `${where}, where the block is ${canonical}`, contradictsItself: true };
  const outcomes = outcomesOf(receipt.logs);
  const text = `${where}, ${status}, with ${outcomes.length} outcomes of the digest ${digestOf(outcomes)}`;
  return { ...said, text, mined: { verdict: 'mined', blockNumber, blockHash, status, outcomes } };
}

function digestOf(outcomes: readonly LoggedOutcome[]): string {
  const text = JSON.stringify(outcomes, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
