import { setTimeout as delay } from 'node:timers/promises';
import { BaseError } from 'viem';
import { ZodError } from 'zod';
import { blockHashOf, type Call, isNewestBlock } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { firstAnswer, inOrder } from '../../chain/endpoints/first-answer.ts';
import { limitsRequests, refusalOrFirst, refusesSize } from '../../chain/endpoints/outages.ts';
import { type Answer, formOf, NoSuchBlock } from './answer-forms.ts';
import { within } from './within.ts';

/** Why there is no answer: too few endpoints have the same. */
export class DifferingAnswers extends BaseError {}

/** Other endpoints are waited for this long, before what is said of a block is believed of those that have answered. */
const confirmationMs = 2_000;

/** What endpoints agree on. */
export interface AgreedAnswers {
  /**
   * The block, or the logs of a range of blocks or of a block, that `quorum` endpoints have alike, in the form of `formOf`. Who has others is noted; where fewer
   * agree, all who differ are. Of a range nothing else shows that logs are lacking: it is read once, and Ponder keeps what it was answered, so that those that are
   * silent are waited for. Of a block two are asked where there are, and who answers is believed while the others are silent, or do not have it: the newest blocks
   * are read all the same. Throws `DifferingAnswers` otherwise, and what endpoints refuse where that is the size of the range, or where none answers.
   */
  ask(call: Call): Promise<Answer>;
}

/** Begins with nothing known. */
export function createAgreedAnswers(endpoints: readonly SharedEndpoint[], quorum: number): AgreedAnswers {
  /** Endpoints agreed on it. */
  let newest: { hash: string; block: Answer } | undefined;

  /** The newest block of the endpoint that answers first, as the others have it: they reach it at different times. */
  const askNewest = async (call: Call): Promise<Answer> => {
    const first = await firstAnswer(endpoints, call, (endpoint) => askEndpoint(endpoint, call), refusalOrFirst);
    const { hash } = first.answer as { hash: string };
    if (newest?.hash !== hash) {
      const [, full] = call.params as [unknown, unknown];
      newest = { hash, block: await agree(endpoints, { method: 'eth_getBlockByHash', params: [hash, full] }, quorum, first) };
    }
    return newest.block;
  };

  return { ask: (call) => (isNewestBlock(call) ? askNewest(call) : agree(endpoints, call, quorum)) };
}

/** `known` is what an endpoint has answered already. */
async function agree(endpoints: readonly SharedEndpoint[], call: Call, quorum: number, known?: Answered): Promise<Answer> {
  const isOfRange = isRange(call);
  const enough = isOfRange ? quorum : Math.max(quorum, Math.min(2, endpoints.length));
  const asked = new Map<SharedEndpoint, Promise<Answered>>();
  if (known) asked.set(known.endpoint, Promise.resolve(known));
  /** Asks each endpoint once. */
  const ask = (endpoint: SharedEndpoint): Promise<Answered> => {
    const answered = asked.get(endpoint) ?? askEndpoint(endpoint, call);
    // It may fail when nobody waits for it any more.
    answered.catch(() => {});
    asked.set(endpoint, answered);
    return answered;
  };
  // At once, so that the confirmation takes no further time.
  for (const endpoint of inOrder(endpoints, call.method).slice(0, enough)) void ask(endpoint);
  const answers: Answered[] = known ? [known] : [];
  for (;;) {
    const others = endpoints.filter((endpoint) => {
      const isSlow = !isOfRange && answers.length > 0 && (endpoint.health.usualMs(call.method) ?? 0) >= confirmationMs;
      return !isSlow && !answers.some((answer) => answer.endpoint === endpoint);
    });
    if (others.length === 0) break;
    const next = firstAnswer(others, call, ask, refusalOrFirst);
    const answer = await (!isOfRange && answers.length > 0 ? within(confirmationMs, next) : next).catch((failure: unknown) => {
      if (answers.length === 0 || (isOfRange && (refusesSize(failure) || limitsRequests(failure)))) throw failure;
      return undefined;
    });
    if (answer === undefined) break;
    answers.push(answer);
    const alike = answers.filter(({ key }) => key === answer.key);
    if (alike.length >= enough) return believe(answers, answer, call);
  }
  // One that has not got a block yet may answer with an empty list.
  const some = answers.filter(({ key }) => key !== emptyKey);
  const believed = some[0] ?? answers[0];
  if (!isOfRange && believed && (quorum === 1 || some.every(({ key }) => key === believed.key))) return believe(answers, believed, call);
  noteDiffering(answers, answers, call);
  throw new DifferingAnswers('What endpoints have of some blocks is not known:', {
    details: `${answers.length} of ${endpoints.length} endpoints answer ${call.method}, and fewer than ${enough} of them alike`,
  });
}

function believe(answers: readonly Answered[], believed: Answered, call: Call): Answer {
  noteDiffering(answers, [believed], call);
  return believed.answer;
}

/** What an endpoint answers, and the key that it shares with the same answer of another. */
interface Answered {
  endpoint: SharedEndpoint;
  answer: Answer;
  key: string;
}

const emptyKey = '[]';

async function askEndpoint(endpoint: SharedEndpoint, call: Call): Promise<Answered> {
  try {
    const answer = formOf(call)?.(await endpoint.rpc.request({ method: call.method, params: call.params } as never)) ?? [];
    return { endpoint, answer, key: JSON.stringify(answer) };
  } catch (cause) {
    if (cause instanceof NoSuchBlock) throw cause;
    if (cause instanceof ZodError)
      endpoint.health.failures.note(orderedBy(call), new Error('it answers neither blocks nor logs as nodes do'));
    // Whatever its code is: a block and its logs do not depend on who asks, so that the next endpoint may have them.
    throw new BaseError('An endpoint does not say what it has of some blocks.', { cause: cause as Error });
  }
}

/** Notes the endpoints whose answers are not those of a believed one. One that was still getting a block when it was asked has it a moment later. */
function noteDiffering(answers: readonly Answered[], believed: readonly Answered[], call: Call): void {
  for (const { endpoint, answer, key } of answers) {
    const other = believed.find((one) => one.key !== key);
    if (other === undefined) continue;
    const note = (own: Answer) => endpoint.health.failures.note(orderedBy(call), new Error(describeDifference(own, other.answer, call)));
    if (isRange(call)) note(answer);
    else void stillDiffers(endpoint, other, call).then((own) => own && note(own));
  }
}

/** What an endpoint answers a moment later, if that is not what another has; undefined otherwise, also when it does not answer. */
async function stillDiffers(endpoint: SharedEndpoint, other: Answered, call: Call): Promise<Answer | undefined> {
  await delay(confirmationMs, undefined, { ref: false });
  const again = await askEndpoint(endpoint, call).catch(() => undefined);
  return again && again.key !== other.key ? again.answer : undefined;
}

function describeDifference(own: Answer, other: Answer, { params }: Call): string {
  const [subject] = params as [string | { blockHash?: string; fromBlock?: string; toBlock?: string }];
  if (typeof subject === 'string') return `its block ${subject} is not that of another endpoint`;
  const { blockHash, fromBlock, toBlock } = subject;
  const blocks = blockHash === undefined ? `blocks ${fromBlock} to ${toBlock}` : `block ${blockHash}`;
  return `its ${countOf(own)} logs of the ${blocks} are not those of another endpoint, which has ${countOf(other)}`;
}

const countOf = (answer: Answer): number => (Array.isArray(answer) ? answer.length : 0);

const isRange = ({ method, params }: Call): boolean => method === 'eth_getLogs' && blockHashOf(params) === undefined;

/** The method by which endpoints are asked in their order: a block is first asked for by its number. */
const orderedBy = ({ method }: Call): string => (method === 'eth_getLogs' ? method : 'eth_getBlockByNumber');
