import { BaseError } from 'viem';
import { blockHashOf, type Call } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { firstAnswer, inOrder } from '../../chain/endpoints/first-answer.ts';
import { limitsRequests, refusalOrFirst, refusesSize } from '../../chain/endpoints/outages.ts';
import { within } from './within.ts';

/** Why there are no logs: too few endpoints have the same. */
export class DifferingLogs extends BaseError {}

/** Other endpoints are waited for this long, before the logs of a block are believed of those that have answered. */
const confirmationMs = 2_000;

/**
 * The logs of a range of blocks, or of a block, that `quorum` endpoints have alike, in their order on the chain. Who has others is noted; where fewer agree, all who
 * differ are. Of a range nothing else shows that they lack none: it is read once, and Ponder keeps what it was answered, so that those that are silent are waited
 * for. Of a block two are asked where there are, and who answers is believed while the others are silent, or have none: the newest blocks are read all the same,
 * and Ponder refuses a block without the logs that its bloom filter announces. Throws `DifferingLogs` otherwise, and what endpoints refuse where that is the size of
 * the range, or where none answers.
 */
export async function agreedLogs(endpoints: readonly SharedEndpoint[], call: Call, quorum: number): Promise<unknown[]> {
  const isOfBlock = blockHashOf(call.params) !== undefined;
  const enough = isOfBlock ? Math.max(quorum, Math.min(2, endpoints.length)) : quorum;
  const asked = new Map<SharedEndpoint, Promise<Answered>>();
  /** Asks each endpoint once. */
  const ask = (endpoint: SharedEndpoint): Promise<Answered> => {
    const known = asked.get(endpoint) ?? askLogs(endpoint, call);
    // It may fail when nobody waits for it any more.
    known.catch(() => {});
    asked.set(endpoint, known);
    return known;
  };
  // At once, so that the confirmation takes no further time.
  for (const endpoint of inOrder(endpoints, call.method).slice(0, enough)) void ask(endpoint);
  const answers: Answered[] = [];
  for (;;) {
    const others = endpoints.filter((endpoint) => !answers.some((answer) => answer.endpoint === endpoint));
    if (others.length === 0) break;
    const next = firstAnswer(others, call, ask, refusalOrFirst);
    const answer = await (isOfBlock && answers.length > 0 ? within(confirmationMs, next) : next).catch((failure: unknown) => {
      if (answers.length === 0 || (!isOfBlock && (refusesSize(failure) || limitsRequests(failure)))) throw failure;
      return undefined;
    });
    if (answer === undefined) break;
    answers.push(answer);
    const alike = answers.filter(({ key }) => key === answer.key);
    if (alike.length >= enough) return believe(answers, answer, call);
  }
  const some = answers.filter(({ logs }) => logs.length > 0);
  const believed = some[0] ?? answers[0];
  if (isOfBlock && believed && (quorum === 1 || some.every(({ key }) => key === believed.key))) return believe(answers, believed, call);
  noteDiffering(answers, answers, call);
  throw new DifferingLogs('The logs of some blocks are not known:', {
    details: `${answers.length} of ${endpoints.length} endpoints answer, and fewer than ${enough} of them alike`,
  });
}

function believe(answers: readonly Answered[], believed: Answered, call: Call): unknown[] {
  noteDiffering(answers, [believed], call);
  return believed.logs.toSorted(byPlace);
}

/** The logs of an endpoint, and the key that they share with the same logs of another. */
interface Answered {
  endpoint: SharedEndpoint;
  logs: unknown[];
  key: string;
}

async function askLogs(endpoint: SharedEndpoint, { method, params }: Call): Promise<Answered> {
  const logs: unknown = await endpoint.rpc.request({ method, params } as never);
  if (!Array.isArray(logs)) throw new BaseError('An endpoint answers no list of logs.');
  return { endpoint, logs, key: logs.map(nameOf).toSorted().join() };
}

/** Nodes differ in further fields, in the case of letters and in the order. */
function nameOf(log: unknown): string {
  const { blockHash, transactionHash, logIndex, address, topics, data } = log as Record<string, unknown>;
  return JSON.stringify([blockHash, transactionHash, Number(logIndex), address, topics, data]).toLowerCase();
}

/** Ponder takes them as they come. */
function byPlace(one: unknown, other: unknown): number {
  const [a, b] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
  return Number(a['blockNumber']) - Number(b['blockNumber']) || Number(a['logIndex']) - Number(b['logIndex']);
}

/** Notes the endpoints whose logs are not those of a believed one. */
function noteDiffering(answers: readonly Answered[], believed: readonly Answered[], { method, params }: Call): void {
  const [{ fromBlock, toBlock }] = params as [{ fromBlock?: unknown; toBlock?: unknown }];
  const hash = blockHashOf(params);
  for (const { endpoint, key, logs } of answers) {
    const other = believed.find((answer) => answer.key !== key);
    const blocks = hash === undefined ? `blocks ${String(fromBlock)} to ${String(toBlock)}` : `block ${hash}`;
    const text = `its ${logs.length} logs of the ${blocks} are not those of another endpoint, which has ${other?.logs.length}`;
    if (other) endpoint.health.failures.note(method, new Error(text));
  }
}
