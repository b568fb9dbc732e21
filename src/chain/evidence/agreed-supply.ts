import { type Address, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Chain, chainIds } from '../../platform/chains.ts';
import { type TokenUnits, tokenUnits } from '../../platform/money.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { describeRpcError } from '../node-answer.ts';

/** What the endpoints of a network say together of the supply of its tokens at a block. */
export type SupplyEvidence =
  /** At least a quorum say the same, and more than say anything else. `outvoted` names those that say something else. */
  | { verdict: 'agreed'; supplies: TokenUnits[]; outvoted: string[] }
  /** They contradict each other, and no quorum outvotes the others. */
  | { verdict: 'disagreement'; text: string }
  /** Fewer than a quorum have the block and its state. */
  | { verdict: 'unavailable'; reason: string };

/** Which tokens, at which block, by how many endpoints. */
export interface SupplyQuestion {
  chain: Chain;
  endpoints: readonly Endpoint[];
  quorum: number;
  tokens: readonly Address[];
  blockNumber: bigint;
}

interface Testimony {
  endpoint: string;
  blockHash: Hex;
  supplies: TokenUnits[];
}

/**
 * Asks all endpoints for `totalSupply` of each token at a block, and for the hash of that block. One that has no such block or no state of it any
 * more, and one of another chain, says nothing. Takes two calls at each, and one for each token.
 */
export async function readAgreedSupply(question: SupplyQuestion): Promise<SupplyEvidence> {
  const { endpoints, quorum } = question;
  const results = await Promise.allSettled(endpoints.map((endpoint) => testify(endpoint, question)));
  const testimonies = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const silent = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`${endpoints[index]?.name}: ${describeRpcError(result.reason)}`] : [],
  );
  const groups = Map.groupBy(testimonies, wordsOf);
  const [most, second] = [...groups.values()].toSorted((a, b) => b.length - a.length);
  if (most?.[0] !== undefined && most.length >= quorum && most.length > (second?.length ?? 0)) {
    const outvoted = testimonies.filter((testimony) => !most.includes(testimony));
    return { verdict: 'agreed', supplies: most[0].supplies, outvoted: outvoted.map(describe) };
  }
  if (groups.size > 1) return { verdict: 'disagreement', text: testimonies.map(describe).join(', ') };
  return { verdict: 'unavailable', reason: [`${testimonies.length} of ${quorum} endpoints answer`, ...silent].join('; ') };
}

async function testify(
  { name, rpc }: Endpoint,
  { chain, tokens, blockNumber }: Pick<SupplyQuestion, 'chain' | 'tokens' | 'blockNumber'>,
): Promise<Testimony> {
  const read = { abi: eMoneyTokenAbi, functionName: 'totalSupply', blockNumber } as const;
  const [chainId, block, ...supplies] = await Promise.all([
    rpc.getChainId(),
    rpc.getBlock({ blockNumber }),
    ...tokens.map((address) => rpc.readContract({ ...read, address })),
  ]);
  if (chainId !== chainIds[chain]) throw new Error(`it answers for the chain id ${chainId}`);
  return { endpoint: name, blockHash: block.hash, supplies: supplies.map((supply) => tokenUnits(supply)) };
}

/** The same for endpoints that say the same. */
function wordsOf({ blockHash, supplies }: Testimony): string {
  return `${blockHash} ${supplies.join(' ')}`;
}

function describe({ endpoint, blockHash, supplies }: Testimony): string {
  return `${endpoint} has ${supplies.join(', ')} in the block ${blockHash}`;
}
