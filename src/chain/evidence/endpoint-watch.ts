import type { Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import { type Chain, chainIds } from '../../platform/chains.ts';
import type { SharedEndpoint } from '../endpoints.ts';

/** Why an endpoint that answers is asked after all others, or not at all. */
export type EndpointFault = { name: string } & ({ why: 'other chain'; chainId: number } | { why: 'behind'; block: bigint; newest: bigint });

/** Looks at the endpoints of a network, and puts those first that are well. */
export interface EndpointWatch extends Running {
  /** The endpoints in the order in which they are asked: those that are behind the others last, and none of another chain. */
  order: () => readonly SharedEndpoint[];
  /** What is wrong with endpoints that answer. */
  faults: () => readonly EndpointFault[];
  /** Resolves after a look that began after the call. */
  looked(): Promise<void>;
}

/** Between two looks, each two requests to each endpoint. */
const intervalMs = 15_000;

/** By how much healthy endpoints of a network differ at any time. */
const usualLag = { seconds: 10, blocks: 3 };

/**
 * Starts to watch endpoints. The newest block is the one that two of several have reached, so that no endpoint alone makes the others seem behind. A single
 * endpoint is not asked anything: there is no other.
 */
export function watchEndpoints(
  endpoints: readonly SharedEndpoint[],
  { chain, blockTimeSeconds }: { chain: Chain; blockTimeSeconds: number },
  log: Log,
): EndpointWatch {
  const mostBehind = BigInt(Math.ceil(usualLag.seconds / blockTimeSeconds) + usualLag.blocks);
  const chainId = chainIds[chain];
  /** The newest block of each at the look before. */
  let seen = new Map<string, bigint>();
  let order = endpoints;
  let faults: readonly EndpointFault[] = [];

  const turn = async () => {
    const answers = await Promise.all(endpoints.map(async (endpoint) => ({ endpoint, answer: await ask(endpoint) })));
    const ours = answers.flatMap(({ answer }) => (answer?.chainId === chainId ? [answer.block] : []));
    const descending = ours.toSorted((a, b) => (a > b ? -1 : 1));
    // One of two may be behind, or claim blocks that nobody has: the one that stands still is behind.
    const isCertain = descending.length > 2;
    const newest = descending[isCertain ? 1 : 0] ?? 0n;
    const isBehind = (name: string, block: bigint) => newest - block > mostBehind && (isCertain || seen.get(name) === block);
    faults = answers.flatMap(({ endpoint: { name }, answer }): EndpointFault[] => {
      if (answer === undefined) return [];
      if (answer.chainId !== chainId) return [{ name, why: 'other chain', chainId: answer.chainId }];
      return isBehind(name, answer.block) ? [{ name, why: 'behind', block: answer.block, newest }] : [];
    });
    seen = new Map(answers.flatMap(({ endpoint: { name }, answer }) => (answer ? [[name, answer.block]] : [])));
    const faultOf = (name: string) => faults.find((fault) => fault.name === name)?.why;
    order = [...endpoints.filter(({ name }) => faultOf(name) === undefined), ...endpoints.filter(({ name }) => faultOf(name) === 'behind')];
  };

  if (endpoints.length < 2) return { order: () => endpoints, faults: () => [], looked: async () => {}, close: async () => {} };
  const loop = startLoop({ name: 'endpoints', intervalMs, log, turn });
  return { order: () => order, faults: () => faults, looked: () => loop.turned(), close: () => loop.close() };
}

/** What an endpoint says; undefined while it does not answer. */
async function ask({ rpc }: SharedEndpoint): Promise<{ chainId: number; block: bigint } | undefined> {
  try {
    const [chainId, block] = await Promise.all([rpc.getChainId(), rpc.getBlockNumber({ cacheTime: 0 })]);
    return { chainId, block };
  } catch {
    return undefined;
  }
}
