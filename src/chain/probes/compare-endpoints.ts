import type { Endpoint } from './endpoint.ts';
import { failure, type Finding, runCheck, ok, type CheckResult, warning } from './finding.ts';

/** This many blocks below their heads, correct nodes of one chain have the same block. */
const settledDepth = 64n;

/** Checks that all endpoints serve the chain of the first: several chains may share an id, and a node may be on a fork. */
export async function compareEndpoints(endpoints: readonly Endpoint[], blockTimeSeconds: number): Promise<Finding[]> {
  const [first, ...others] = endpoints;
  if (!first) return [];
  const lowest = endpoints.reduce((low, { head }) => (head < low ? head : low), first.head);
  const common = lowest > settledDepth ? lowest - settledDepth : 0n;
  const highest = endpoints.reduce((high, { head }) => (head > high ? head : high), first.head);
  return Promise.all(
    others.map((other) => runCheck(other.subject, 'same chain', () => compare(first, other, { common, highest, blockTimeSeconds }))),
  );
}

interface Comparison {
  /** A block that all nodes should have. */
  common: bigint;
  /** The highest head of all. */
  highest: bigint;
  blockTimeSeconds: number;
}

async function compare(first: Endpoint, other: Endpoint, { common, highest, blockTimeSeconds }: Comparison): Promise<CheckResult> {
  for (const number of new Set([0n, common])) {
    const [mine, theirs] = await Promise.all([first, other].map(({ rpc }) => rpc.getBlock({ blockNumber: number })));
    if (mine?.hash === theirs?.hash) continue;
    return failure(`its block ${number} is not that of ${first.subject}`, 'remove the endpoint that is not of this chain');
  }
  const behind = highest - other.head;
  const tolerated = BigInt(Math.max(5, Math.ceil(60 / blockTimeSeconds)));
  if (behind > tolerated) return warning(`the same, ${behind} blocks behind`, 'a node that lags returns old data: use another');
  return ok(`the same as ${first.subject}`);
}
