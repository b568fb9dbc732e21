import type { Head } from '../chain/head.ts';
import type { Rpc } from '../chain/rpc.ts';
import { findSafeSignature } from '../chain/signatures/safe-signing-time.ts';
import { type SignatureVerdict, verifySignatures } from '../chain/signatures/verify.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { acceptSigningTimes, listDueSignatures } from '../ledger/orders/due-signatures.ts';
import type { SignatureDecision, SignatureRequest } from '../ledger/orders/signature-requests.ts';
import { chainIds } from '../platform/chains.ts';
import { messageOf } from '../platform/errors.ts';
import type { NetworkSettings } from '../platform/settings.ts';

/** What the check of signing times needs. */
export interface SigningTimeDeps {
  ledger: Ledger;
  rpc: Rpc;
  network: NetworkSettings;
  head: Head;
  /** Records that a request was decided. */
  record: (request: SignatureRequest, decision: SignatureDecision) => Promise<void>;
}

/** Requests that are looked at in a turn. Each whose account has signed already costs a search of the logs. */
const mostAtOnce = 32;

/** Blocks may come this much faster than they usually do. */
const fasterBlocks = 2;

/** The reason of a request whose account signed the sentence too long before (src/api/customers/prove-and-link.ts answers it). */
const signedBefore = 'the account signed the sentence too long before the request';

/**
 * Finds out for the fixed sentence signed on chain whether the account signs it for this request. An account that has not signed yet can only
 * do so from now on. Of one that has, the block of a Safe's event `SignMsg` tells when; without such an event nothing does, and the request
 * ends: the sentence may have been signed for anybody (docs/api.md, Signatures). Returns why a node gave no answer, if one gave none.
 */
export async function checkSigningTimes(deps: SigningTimeDeps): Promise<string | undefined> {
  const { ledger, rpc, network } = deps;
  const requests = await listDueSignatures(ledger, network.chain, 'undated', mostAtOnce);
  if (requests.length === 0) return undefined;
  let block: bigint;
  try {
    block = await newestBlock(deps);
  } catch (error) {
    return messageOf(error);
  }
  const checks = requests.map((request) => ({ ...request, allowUndeployed: true }));
  const verdicts = await verifySignatures(rpc, checks, block);
  const unsigned = requests.filter((_, index) => verdicts[index]?.kind === 'invalid');
  await acceptSigningTimes(ledger, unsigned.map(idOf));
  const signed = requests.filter((_, index) => verdicts[index]?.kind === 'valid');
  const outages = await Promise.all(signed.map((request) => dateSignature(deps, request, block)));
  return outages.find((outage) => outage !== undefined) ?? outageOf(verdicts);
}

/** By number, because "latest" at a node that lags behind the others may be from before the account signed. */
async function newestBlock({ rpc, head }: SigningTimeDeps): Promise<bigint> {
  const newest = await rpc.getBlockNumber({ cacheTime: 0 });
  const seen = head.number() ?? 0n;
  return newest > seen ? newest : seen;
}

async function dateSignature(deps: SigningTimeDeps, request: SignatureRequest, block: bigint): Promise<string | undefined> {
  const { ledger, rpc, network, record } = deps;
  // By the chain's own clock: how long before the newest block the account may have signed.
  const seconds = (Date.now() - (request.signedAfter as Date).getTime()) / 1_000;
  const blocks = BigInt(Math.ceil((seconds / network.blockTimeSeconds) * fasterBlocks) + 1);
  const fromBlock = block > blocks ? block - blocks : 0n;
  try {
    const signedIn = await findSafeSignature(rpc, { ...request, chainId: chainIds[network.chain], fromBlock });
    const isInTime = signedIn !== undefined && (await secondsBetween(rpc, signedIn, block)) <= seconds;
    await (isInTime ? acceptSigningTimes(ledger, [request.id]) : record(request, { state: 'invalid', reason: signedBefore }));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function secondsBetween(rpc: Rpc, earlier: bigint, later: bigint): Promise<number> {
  if (earlier >= later) return 0;
  const [from, to] = await Promise.all([earlier, later].map((blockNumber) => rpc.getBlock({ blockNumber })));
  return Number((to?.timestamp ?? 0n) - (from?.timestamp ?? 0n));
}

function idOf({ id }: SignatureRequest): string {
  return id;
}

function outageOf(verdicts: readonly SignatureVerdict[]): string | undefined {
  return verdicts.find((verdict) => verdict.kind === 'unavailable')?.reason;
}
