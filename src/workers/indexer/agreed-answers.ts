import { LRUCache } from 'lru-cache';
import { BaseError, type Hex } from 'viem';
import { blockHashOf, type Call, isNewestBlock } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { firstAnswer, inOrder } from '../../chain/endpoints/first-answer.ts';
import { isTooLong, limitsRequests, refusalOrFirst, refusesSize } from '../../chain/endpoints/outages.ts';
import { type Answer, type Block, renderBlock } from './answer-forms.ts';
import { type Answered, askBlock, askEndpoint, isRange } from './asked-endpoint.ts';
import { noteDiffering } from './note-differing.ts';
import { within } from './within.ts';

/** Why there is no answer: too few endpoints have the same. */
export class DifferingAnswers extends BaseError {}

/** Other endpoints are waited for this long, before what is said of a block is believed of those that have answered. */
const confirmationMs = 2_000;

/** The bloom filter of a block without logs. Ponder asks for its logs all the same, and takes it that there are some or none. */
const emptyBloom: Hex = `0x${'0'.repeat(512)}`;

/** Ponder asks for the logs of a block soon after it was told of the block. */
const keptBlocks = 1_000;

/** The key of an answer without logs. */
const noLogs = '[]';

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
    // Where they differ, one that was slow a moment ago may show who is right.
    const isAlike = new Set(answers.map(({ key }) => key)).size === 1;
    const others = endpoints.filter((endpoint) => {
      const isSlow = !isOfRange && isAlike && (endpoint.health.usualMs(call.method) ?? 0) >= confirmationMs;
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
