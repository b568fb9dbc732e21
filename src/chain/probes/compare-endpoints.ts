import type { Endpoint } from './endpoint.ts';
import { failure, type Finding, find, ok, type Verdict, warning } from './finding.ts';

/** Below the heads by so many blocks, honest nodes have the same block. */
const settled = 64n;

/** Whether endpoints are of one chain: several chains may have one id, and a node may sit on a fork. Needs two. */
export async function compareEndpoints(endpoints: readonly Endpoint[], blockTimeSeconds: number): Promise<Finding[]> {
  const [first, ...others] = endpoints;
  if (!first) return [];
  const lowest = endpoints.reduce((low, { head }) => (head < low ? head : low), first.head);
  const common = lowest > settled ? lowest - settled : 0n;
  const highest = endpoints.reduce((high, { head }) => (head > high ? head : high), first.head);
  return Promise.all(
    others.map((other) => find(other.subject, 'same chain', () => compare(first, other, { common, highest, blockTimeSeconds }))),
  );
}

interface Against {
  common: bigint;
  highest: bigint;
  blockTimeSeconds: number;
}

async function compare(first: Endpoint, other: Endpoint, { common, highest, blockTimeSeconds }: Against): Promise<Verdict> {
  for (const number of new Set([0n, common])) {
    const [mine, theirs] = await Promise.all([first, other].map(({ rpc }) => rpc.getBlock({ blockNumber: number })));
    if (mine?.hash === theirs?.hash) continue;
    const what = number === 0n ? 'begins with another block' : `has another block ${number}`;
    return failure(`it ${what} than ${first.subject}`, 'remove the endpoint that is not of this chain');
  }
  const behind = highest - other.head;
  const tolerated = BigInt(Math.max(5, Math.ceil(60 / blockTimeSeconds)));
  if (behind > tolerated) return warning(`the same, ${behind} blocks behind`, 'a node that lags answers from the past: use another');
  return ok(`as ${first.subject}`);
}
