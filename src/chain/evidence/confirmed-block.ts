import type { NetworkSettings } from '../../platform/settings.ts';
import { chainIds } from '../../platform/chains.ts';
import type { Endpoint } from '../endpoints.ts';
import { describeRpcError } from '../node-answer.ts';

/** What an endpoint answered when it was asked how far the confirmation policy reaches. */
export type EndpointAnswer =
  | { endpoint: Endpoint; state: 'usable'; upTo: bigint }
  | { endpoint: Endpoint; state: 'unreachable'; reason: string }
  | { endpoint: Endpoint; state: 'other chain'; chainId: number };

/** How far the confirmation policy reaches by the answers of the endpoints. */
export interface ConfirmedBlock {
  /** Newest block that the policy covers by at least a quorum of the endpoints; undefined while fewer answer. */
  upTo: bigint | undefined;
  answers: EndpointAnswer[];
}

/** Which endpoints are asked, and how many must agree. */
export interface EvidenceSettings {
  network: Pick<NetworkSettings, 'chain' | 'confirmations'>;
  endpoints: readonly Endpoint[];
  quorum: number;
}

/** Heads after which an endpoint is asked again of which chain it is. Another chain has other blocks in the meantime, so that it proves nothing. */
const chainCheckedForHeads = 32;

/** Asks the endpoints how far the confirmation policy reaches. */
export interface ConfirmedBlockReader {
  /** Asks all endpoints, unless they have answered for this head, a block number, before. */
  read(head: bigint): Promise<ConfirmedBlock>;
  /** Asks every endpoint of which chain it is the next time: they contradict each other. */
  suspectChains(): void;
}

/**
 * Creates a reader. An endpoint whose chain id is not the network's is not used. A `safe` or `finalized` block that only one endpoint is asked
 * for counts when two consecutive answers claim it, so that one inflated answer settles nothing.
 */
export function createConfirmedBlockReader(settings: EvidenceSettings): ConfirmedBlockReader {
  const { endpoints, quorum, network } = settings;
  const needsTwoAnswers = quorum === 1 && typeof network.confirmations !== 'number';
  const previous = new Map<string, bigint>();
  /** For how many more heads an endpoint need not be asked of which chain it is. */
  const chainKnownFor = new Map<string, number>();
  let last: { head: bigint; confirmed: ConfirmedBlock; isComplete: boolean } | undefined;

  const readOne = async (endpoint: Endpoint): Promise<EndpointAnswer> => {
    const left = chainKnownFor.get(endpoint.name) ?? 0;
    const answer = await askEndpoint(settings, endpoint, left > 0);
    chainKnownFor.set(endpoint.name, left > 0 ? left - 1 : chainCheckedForHeads - 1);
    if (answer.state !== 'usable') chainKnownFor.delete(endpoint.name);
    if (answer.state !== 'usable' || !needsTwoAnswers) return answer;
    const before = previous.get(endpoint.name) ?? -1n;
    previous.set(endpoint.name, answer.upTo);
    return { ...answer, upTo: before < answer.upTo ? before : answer.upTo };
  };

  return {
    async read(head) {
      if (last?.isComplete && last.head === head) return last.confirmed;
      const answers = await Promise.all(endpoints.map((endpoint) => readOne(endpoint)));
      const confirmed = { upTo: highestOfQuorum(answers, quorum), answers };
      const isComplete = answers.every(
        (answer) => answer.state === 'usable' && (!needsTwoAnswers || previous.get(answer.endpoint.name) === answer.upTo),
      );
      last = { head, confirmed, isComplete };
      return confirmed;
    },
    suspectChains: () => chainKnownFor.clear(),
  };
}

/** The highest block that at least `quorum` endpoints claim. */
function highestOfQuorum(answers: readonly EndpointAnswer[], quorum: number): bigint | undefined {
  const claims = answers.flatMap((answer) => (answer.state === 'usable' ? [answer.upTo] : []));
  return claims.toSorted((a, b) => (a > b ? -1 : 1))[quorum - 1];
}

async function askEndpoint({ network }: EvidenceSettings, endpoint: Endpoint, isChainKnown: boolean): Promise<EndpointAnswer> {
  const { chain, confirmations } = network;
  const { rpc } = endpoint;
  try {
    const [chainId, upTo] = await Promise.all([
      isChainKnown ? chainIds[chain] : rpc.getChainId(),
      typeof confirmations === 'number'
        ? rpc.getBlockNumber({ cacheTime: 0 }).then((head) => head - BigInt(confirmations))
        : rpc.getBlock({ blockTag: confirmations }).then(({ number }) => number),
    ]);
    if (chainId !== chainIds[chain]) return { endpoint, state: 'other chain', chainId };
    return { endpoint, state: 'usable', upTo };
  } catch (error) {
    return { endpoint, state: 'unreachable', reason: describeRpcError(error) };
  }
}
