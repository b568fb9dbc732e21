import type { NetworkSettings } from '../../platform/settings.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { describeRpcError } from '../node-answer.ts';

/** What an endpoint answered when it was asked how far the confirmation policy reaches. */
export type EndpointAnswer =
  | { endpoint: Endpoint; state: 'usable'; upTo: bigint }
  | { endpoint: Endpoint; state: 'unreachable'; reason: string };

/** How far the confirmation policy reaches by the answers of the endpoints. */
export interface ConfirmedBlock {
  /** Newest block that the policy covers by at least a quorum of the endpoints; undefined while fewer answer. */
  upTo: bigint | undefined;
  /** Of each endpoint, the quickest first. */
  answers: EndpointAnswer[];
}

/** Which endpoints are asked, and how many must agree. */
export interface EvidenceSettings {
  network: Pick<NetworkSettings, 'confirmations'>;
  endpoints: readonly Endpoint[];
  quorum: number;
}

/** How long those that are slower hold up a quorum that has answered: more than endpoints that are well differ. */
const patienceMs = 300;

/** Asks the endpoints how far the confirmation policy reaches. */
export interface ConfirmedBlockReader {
  /** Asks all endpoints, unless they have answered for this head, a block number, before. Waits only a moment for more than a quorum. */
  read(head: bigint): Promise<ConfirmedBlock>;
}

/**
 * Creates a reader. A `safe` or `finalized` block that only one endpoint is asked for counts when two consecutive answers claim it, so that one inflated answer
 * settles nothing.
 */
export function createConfirmedBlockReader({ endpoints, quorum, network }: EvidenceSettings): ConfirmedBlockReader {
  const needsTwoAnswers = quorum === 1 && typeof network.confirmations !== 'number';
  const previous = new Map<string, bigint>();
  /** What endpoints are asked that have not answered yet. */
  const open = new Map<string, Promise<EndpointAnswer>>();
  let last: { head: bigint; confirmed: ConfirmedBlock; isComplete: boolean } | undefined;

  const readOne = async (endpoint: Endpoint): Promise<EndpointAnswer> => {
    const answer = await askEndpoint(network.confirmations, endpoint);
    if (answer.state !== 'usable' || !needsTwoAnswers) return answer;
    const before = previous.get(endpoint.name) ?? -1n;
    previous.set(endpoint.name, answer.upTo);
    return { ...answer, upTo: before < answer.upTo ? before : answer.upTo };
  };

  const readOnce = (endpoint: Endpoint): Promise<EndpointAnswer> => {
    const answer = open.get(endpoint.name) ?? readOne(endpoint).finally(() => open.delete(endpoint.name));
    open.set(endpoint.name, answer);
    return answer;
  };

  return {
    async read(head) {
      if (last?.isComplete && last.head === head) return last.confirmed;
      const answers = await quickest(endpoints.map(readOnce), quorum);
      const late = endpoints.filter((endpoint) => !answers.some((answer) => answer.endpoint === endpoint));
      const confirmed = {
        upTo: highestOfQuorum(answers, quorum),
        answers: [
          ...answers,
          ...late.map((endpoint) => ({ endpoint, state: 'unreachable' as const, reason: 'it takes longer than the others' })),
        ],
      };
      const isComplete = confirmed.answers.every(
        (answer) => answer.state === 'usable' && (!needsTwoAnswers || previous.get(answer.endpoint.name) === answer.upTo),
      );
      last = { head, confirmed, isComplete };
      return confirmed;
    },
  };
}

/** The answers in the order in which they come: all of them, or those that have come a moment after a quorum was usable. */
async function quickest(pending: readonly Promise<EndpointAnswer>[], quorum: number): Promise<EndpointAnswer[]> {
  const answers: EndpointAnswer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    const note = (answer: EndpointAnswer) => {
      answers.push(answer);
      if (answers.filter(({ state }) => state === 'usable').length >= quorum) timer ??= setTimeout(resolve, patienceMs);
    };
    void Promise.all(pending.map((answer) => answer.then(note))).then(() => resolve());
  });
  await patience;
  clearTimeout(timer);
  return [...answers];
}

/** The highest block that at least `quorum` endpoints claim. */
function highestOfQuorum(answers: readonly EndpointAnswer[], quorum: number): bigint | undefined {
  const claims = answers.flatMap((answer) => (answer.state === 'usable' ? [answer.upTo] : []));
  return claims.toSorted((a, b) => (a > b ? -1 : 1))[quorum - 1];
}

async function askEndpoint(confirmations: NetworkSettings['confirmations'], endpoint: Endpoint): Promise<EndpointAnswer> {
  const { rpc } = endpoint;
  try {
    const upTo =
      typeof confirmations === 'number'
        ? (await rpc.getBlockNumber({ cacheTime: 0 })) - BigInt(confirmations)
        : (await rpc.getBlock({ blockTag: confirmations })).number;
    return { endpoint, state: 'usable', upTo };
  } catch (error) {
    return { endpoint, state: 'unreachable', reason: describeRpcError(error) };
  }
}
