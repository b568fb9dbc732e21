import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import type { Answer, Block } from './answer-forms.ts';
import { type Answered, askEndpoint, isRange, momentMs, orderedBy } from './asked-endpoint.ts';

/** Notes the endpoints whose answers are not those of a believed one. One that has no block may have none yet, and its height says whether it is behind. */
export function noteDiffering(answers: readonly Answered[], believed: readonly Answered[], call: Call): void {
  for (const { endpoint, answer, key } of answers) {
    const other = believed.find((one) => one.key !== key);
    if (other === undefined || answer === null) continue;
    const note = (own: Answer, theirs: Answer) =>
      endpoint.health.failures.note(orderedBy(call), new Error(describeDifference(own, theirs, call)));
    if (isRange(call)) note(answer, other.answer);
    else void stillDiffer(endpoint, other.endpoint, call).then((two) => two && note(two.own, two.theirs));
  }
}

/**
 * What two endpoints answer a moment later, if it is not the same; undefined otherwise, when one does not answer, and when the first has itself replaced the block by
 * another meanwhile.
 */
async function stillDiffer(
  endpoint: SharedEndpoint,
  other: SharedEndpoint,
  call: Call,
): Promise<{ own: Answer; theirs: Answer } | undefined> {
  await delay(momentMs, undefined, { ref: false });
  try {
    const [own, theirs] = await Promise.all([askEndpoint(endpoint, call), askEndpoint(other, call)]);
    if (own.key === theirs.key || own.answer === null) return undefined;
    if (!Array.isArray(own.answer) && theirs.answer === null) {
      const { number, hash } = own.answer;
      const { answer } = await askEndpoint(endpoint, { method: 'eth_getBlockByNumber', params: [number, false] });
      if ((answer as Block | null)?.hash !== hash) return undefined;
    }
    return { own: own.answer, theirs: theirs.answer };
  } catch {
    return undefined;
  }
}

function describeDifference(own: Answer, theirs: Answer, { params }: Call): string {
  const [subject] = params as [string | { blockHash?: string; fromBlock?: string; toBlock?: string }];
  if (typeof subject === 'string') return `its block ${subject} is ${theirs === null ? 'none' : 'not that'} of another endpoint`;
  const { blockHash, fromBlock, toBlock } = subject;
  const blocks = blockHash === undefined ? `blocks ${fromBlock} to ${toBlock}` : `block ${blockHash}`;
  return `its ${countOf(own)} logs of the ${blocks} are not those of another endpoint, which has ${countOf(theirs)}`;
}

const countOf = (answer: Answer): number => (Array.isArray(answer) ? answer.length : 0);
