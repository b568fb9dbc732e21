import { BaseError } from 'viem';
import type { Call } from '../../chain/endpoints/chain-of-answer.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { firstAnswer, inOrder } from '../../chain/endpoints/first-answer.ts';
import { limitsRequests, refusalOrFirst, refusesSize } from '../../chain/endpoints/outages.ts';

/**
 * The logs of a range of blocks that `quorum` endpoints have alike. Nothing else shows that a range lacks none: it is read once, and Ponder keeps what it was
 * answered. Who has others is noted; where fewer agree, all who differ are. Throws while fewer endpoints agree: what they refuse where that is the size of the
 * range, or where none answers, and otherwise an error that is no node's, because those that are silent may have other logs.
 */
export async function agreedLogs(endpoints: readonly SharedEndpoint[], call: Call, quorum: number): Promise<unknown[]> {
  const asked = new Map<SharedEndpoint, Promise<Answered>>();
  /** Asks each endpoint once. */
  const ask = (endpoint: SharedEndpoint): Promise<Answered> => {
    const known = asked.get(endpoint) ?? askLogs(endpoint, call);
    // It may fail when nobody waits for it any more.
    known.catch(() => {});
    asked.set(endpoint, known);
    return known;
  };
  // At once, so that the confirmation of a range takes no further time.
  for (const endpoint of inOrder(endpoints, call.method).slice(0, quorum)) void ask(endpoint);
  const answers: Answered[] = [];
  for (;;) {
    const others = endpoints.filter((endpoint) => !answers.some((answer) => answer.endpoint === endpoint));
    if (others.length === 0) break;
    const answer = await firstAnswer(others, call, ask, refusalOrFirst).catch((failure: unknown) => {
      if (answers.length === 0 || refusesSize(failure) || limitsRequests(failure)) throw failure;
      return undefined;
    });
    if (answer === undefined) break;
    answers.push(answer);
    const alike = answers.filter(({ key }) => key === answer.key);
    if (alike.length < quorum) continue;
    noteDiffering(answers, alike, call);
    return answer.logs;
  }
  noteDiffering(answers, answers, call);
  throw new BaseError('The logs of a range of blocks are not known:', {
    details: `${answers.length} of ${endpoints.length} endpoints answer, and fewer than ${quorum} of them alike`,
  });
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
  const { blockHash, logIndex, address, topics, data } = log as Record<string, unknown>;
  return JSON.stringify([blockHash, Number(logIndex), address, topics, data]).toLowerCase();
}

/** Notes the endpoints whose logs are not those of a believed one. */
function noteDiffering(answers: readonly Answered[], believed: readonly Answered[], { method, params }: Call): void {
  const [{ fromBlock, toBlock }] = params as [{ fromBlock?: unknown; toBlock?: unknown }];
  for (const { endpoint, key, logs } of answers) {
    const other = believed.find((answer) => answer.key !== key);
    const range = `${String(fromBlock)} to ${String(toBlock)}`;
    const text = `its ${logs.length} logs of the blocks ${range} are not those of another endpoint, which has ${other?.logs.length}`;
    if (other) endpoint.health.failures.note(method, new Error(text));
  }
}
