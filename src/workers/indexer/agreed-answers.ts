import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { BaseError, type Hex, ResponseBodyTooLargeError, RpcRequestError } from 'viem';
import { ZodError } from 'zod';
import { blockHashOf, type Call, isNewestBlock } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { firstAnswer, inOrder } from '../../chain/endpoints/first-answer.ts';
import { limitsRequests, refusalOrFirst, refusesSize } from '../../chain/endpoints/outages.ts';
import { type Answer, type Block, readAnswer, renderBlock } from './answer-forms.ts';
import { within } from './within.ts';

/** Why there is no answer: too few endpoints have the same. */
export class DifferingAnswers extends BaseError {}

/** Other endpoints are waited for this long, before what is said of a block is believed of those that have answered. */
const confirmationMs = 2_000;

/** One that is still getting a block or its logs has them after this time. */
const momentMs = 5_000;

/** The bloom filter of a block without logs. Ponder asks for its logs all the same, and takes it that there are some or none. */
const emptyBloom: Hex = `0x${'0'.repeat(512)}`;

/** Ponder asks for the logs of a block soon after it was told of the block. */
const keptBlocks = 1_000;

/** Of what endpoints are asked, and how many must have it alike. */
export interface AgreedNetwork {
  endpoints: readonly SharedEndpoint[];
  quorum: number;
  /** The contracts whose logs are read. */
  tokens?: readonly Hex[] | undefined;
}

/** What endpoints agree on. */
export interface AgreedAnswers {
  /**
   * The block, or the logs of a range of blocks or of a block, that `quorum` endpoints have alike, always written alike (`readAnswer`). Who has others is noted; where
   * fewer agree, all who differ are. Of a range nothing else shows that logs are lacking: it is read once, and Ponder keeps what it was answered, so that those that
   * are silent are waited for. Of a block two are asked where there are, and who answers is believed while the others are silent. The newest block is the newest that
   * two have: Ponder takes a block that follows none of its own for a reorganisation. No logs are no answer where the bloom filter of the block announces some. Throws
   * `DifferingAnswers` otherwise, and what endpoints refuse where that is the size of the range, or where none answers.
   */
  ask(call: Call): Promise<unknown>;
}

/** Begins with nothing known. */
export function createAgreedAnswers({ endpoints, quorum, tokens = [] }: AgreedNetwork): AgreedAnswers {
  /** Endpoints agreed on it. */
  let newest: Block | undefined;
  /** Hashes of blocks whose bloom filter announces logs. */
  const announcing = new LRUCache<string, true>({ max: keptBlocks });
  /** Hashes of blocks with more logs than an endpoint answers at once, most of them of other contracts, which anybody can have written for little. */
  const long = new LRUCache<string, true>({ max: keptBlocks });

  const agreeOn = (call: Call, known?: Answered) => agree({ endpoints, quorum, isPossible: () => true }, call, known);

  const logsOf = async (call: Call, blockHash: string): Promise<Answer> => {
    const ofTokens = { method: call.method, params: [{ blockHash, address: tokens }] };
    if (long.has(blockHash)) return agreeOn(ofTokens);
    const isPossible = (answer: Answer) => !announcing.has(blockHash) || (answer as unknown[]).length > 0;
    return agree({ endpoints, quorum, isPossible }, call).catch((failure: unknown) => {
      if (!isTooLong(failure)) throw failure;
      long.set(blockHash, true);
      return agreeOn(ofTokens);
    });
  };

  /** The newest block of the first endpoint whose newest the others have. They reach it at different times, and one may say what it likes. */
  const newestBlock = async (call: Call): Promise<Block> => {
    const denied = new Set<SharedEndpoint>();
    for (;;) {
      const others = endpoints.filter((endpoint) => !denied.has(endpoint));
      const first = await firstAnswer(others, call, (endpoint) => askBlock(endpoint, call), refusalOrFirst);
      const { hash } = first.answer as Block;
      if (newest?.hash === hash) return newest;
      try {
        const block = (await agreeOn({ method: 'eth_getBlockByHash', params: [hash, false] }, first)) as Block | null;
        if (block !== null) return (newest = block);
      } catch (failure) {
        if (!(failure instanceof DifferingAnswers)) throw failure;
      }
      denied.add(first.endpoint);
      if (denied.size === endpoints.length) throw new DifferingAnswers('No newest block of an endpoint is one of another.');
    }
  };

  const blockOf = async (call: Call): Promise<object | null> => {
    const [subject] = call.params as [unknown];
    const plain = { method: call.method, params: [subject, false] };
    const block = (isNewestBlock(plain) ? await newestBlock(plain) : await agreeOn(plain)) as Block | null;
    if (block === null) return null;
    if (block.logsBloom !== emptyBloom) announcing.set(block.hash, true);
    // Ponder would not believe that a block has no logs of the tokens.
    return renderBlock(long.has(block.hash) ? { ...block, logsBloom: emptyBloom } : block, call);
  };

  return {
    ask(call) {
      const blockHash = blockHashOf(call.params);
      if (call.method !== 'eth_getLogs') return blockOf(call);
      return blockHash === undefined ? agreeOn(call) : logsOf(call, blockHash);
    },
  };
}

/** What endpoints must agree on, and whether an answer can be true. */
interface Agreement extends AgreedNetwork {
  isPossible: (answer: Answer) => boolean;
}

/** `known` is what an endpoint has answered already. */
async function agree({ endpoints, quorum, isPossible }: Agreement, call: Call, known?: Answered): Promise<Answer> {
  const isOfRange = isRange(call);
  const enough = isOfRange ? quorum : Math.max(quorum, Math.min(2, endpoints.length));
  const asked = new Map<SharedEndpoint, Promise<Answered>>();
  if (known) asked.set(known.endpoint, Promise.resolve(known));
  /** Asks each endpoint once. */
  const ask = (endpoint: SharedEndpoint): Promise<Answered> => {
    const answered = asked.get(endpoint) ?? askEndpoint(endpoint, call, isPossible);
    // It may fail when nobody waits for it any more.
    answered.catch(() => {});
    asked.set(endpoint, answered);
    return answered;
  };
  // At once, so that the confirmation takes no further time.
  for (const endpoint of inOrder(endpoints, call.method).slice(0, enough)) void ask(endpoint);
  const answers: Answered[] = known ? [known] : [];
  if (enough === answers.length && known) return known.answer;
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
  // One that does not have a block may answer with an empty list of its logs.
  const some = answers.filter(({ key }) => key !== noLogs);
  const believed = (quorum === 1 ? some.find(({ answer }) => answer !== null) : undefined) ?? some[0] ?? answers[0];
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

const noLogs = '[]';

async function askEndpoint(endpoint: SharedEndpoint, call: Call, isPossible: (answer: Answer) => boolean = () => true): Promise<Answered> {
  const note = (text: string) => endpoint.health.failures.note(orderedBy(call), new Error(text));
  try {
    const answer = readAnswer(call, await endpoint.rpc.request({ method: call.method, params: call.params } as never));
    if (isPossible(answer)) return { endpoint, answer, key: JSON.stringify(answer) };
  } catch (cause) {
    if (cause instanceof ZodError) note('it answers neither blocks nor logs as nodes do');
    // Whatever its code is: a block and its logs do not depend on who asks, so that the next endpoint may have them.
    throw new BaseError('An endpoint does not say what it has of some blocks.', {
      cause: isRange(call) ? refusalOf(cause) : (cause as Error),
    });
  }
  void deniesStill(endpoint, call, isPossible).then(
    (does) => does && note(`it has no logs of the block ${blockHashOf(call.params)}, which announces some`),
  );
  throw new BaseError('An endpoint does not have the logs of a block yet.');
}

/** Whether what an endpoint answers a moment later is impossible, too. */
async function deniesStill(endpoint: SharedEndpoint, call: Call, isPossible: (answer: Answer) => boolean): Promise<boolean> {
  await delay(momentMs, undefined, { ref: false });
  return askEndpoint(endpoint, call).then(
    ({ answer }) => !isPossible(answer),
    () => false,
  );
}

/** Too long an answer is what nodes refuse: Ponder asks for fewer blocks then. */
function refusalOf(failure: unknown): Error {
  const error = { code: -32_005, message: 'Block range limit exceeded. The answer is too long' };
  return isTooLong(failure) ? new RpcRequestError({ body: {}, url: '', error }) : (failure as Error);
}

const isTooLong = (failure: unknown): boolean =>
  failure instanceof BaseError && failure.walk((inner) => inner instanceof ResponseBodyTooLargeError) !== null;

async function askBlock(endpoint: SharedEndpoint, call: Call): Promise<Answered> {
  const answered = await askEndpoint(endpoint, call);
  if (answered.answer === null) throw new BaseError('An endpoint has no newest block.');
  return answered;
}

/** Notes the endpoints whose answers are not those of a believed one. One that has no block may have none yet, and its height says whether it is behind. */
function noteDiffering(answers: readonly Answered[], believed: readonly Answered[], call: Call): void {
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

const isRange = ({ method, params }: Call): boolean => method === 'eth_getLogs' && blockHashOf(params) === undefined;

/** The method by which endpoints are asked in their order: a block is first asked for by its number. */
const orderedBy = ({ method }: Call): string => (method === 'eth_getLogs' ? method : 'eth_getBlockByNumber');
