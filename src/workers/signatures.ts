import type { Head } from '../chain/head.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type SignatureVerdict, verifySignatures } from '../chain/signatures/verify.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  decideSignature,
  listUncheckedSignatures,
  type SignatureRequest,
  type SignatureDecision,
} from '../ledger/orders/signature-requests.ts';
import { signatureQueue } from '../ledger/queues.ts';
import { isDatabaseOutage } from '../platform/database.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { Waker } from '../platform/queue.ts';
import type { NetworkSettings } from '../platform/settings.ts';

export interface SignatureDeps {
  ledger: Ledger;
  rpc: Rpc;
  network: NetworkSettings;
  head: Head;
  log: Log;
  waker: Pick<Waker, 'listen'>;
}

/** How long an account has to sign on chain (docs/api.md, Signatures). */
const patience = 5 * 24 * 3_600 * 1_000;

/** Verdicts recorded at the same time: half of the connections that a process usually holds (`DATABASE_POOL`). */
const together = 5;

/** Longest sleep between two looks at signatures in hand: a verdict that was unavailable is sought again after it. */
const intervalMs = 1_000;

interface Progress {
  /** The last block in which all signatures on chain were looked for. */
  lookedAt: bigint;
  /** Why there are no verdicts now; undefined while there are. */
  outage: string | undefined;
}

/**
 * Decides the signatures of a network's contract accounts. One in hand is asked at the newest block, as the token will
 * ask it; one on chain is looked for in every block that the confirmation policy covers. An outage decides nothing, and
 * no time runs out during one.
 */
export function startSignatureChecks(deps: SignatureDeps): Loop {
  const { network, head, log, waker } = deps;
  const progress: Progress = { lookedAt: -1n, outage: undefined };
  return startLoop({
    name: `signatures ${network.chain}`,
    intervalMs,
    wokenBy: [(wake) => waker.listen(signatureQueue(network.chain), wake), (wake) => head.onBlock(wake)],
    log,
    turn: async () => {
      const inHand = await checkInHand(deps);
      const onChain = await checkOnChain(deps, progress);
      report(deps, progress, inHand ?? onChain);
    },
  });
}

/** Returns why a verdict is missing, if one is. */
async function checkInHand(deps: SignatureDeps): Promise<string | undefined> {
  const { ledger, rpc, network, head } = deps;
  const requests = await listUncheckedSignatures(ledger, network.chain, 'in request');
  if (requests.length === 0) return undefined;
  let newest: bigint;
  try {
    newest = await rpc.getBlockNumber({ cacheTime: 0 });
  } catch (error) {
    return messageOf(error);
  }
  // By number, because "latest" at a node that lags behind the others may be from before the account was deployed.
  const seen = head.number() ?? 0n;
  return decideAll(deps, requests, newest > seen ? newest : seen, ({ reason }) => ({
    state: 'invalid',
    reason: `invalid signature: ${reason}`,
  }));
}

/** Returns why a verdict is missing, if one is: then this block is looked at again. */
async function checkOnChain(deps: SignatureDeps, progress: Progress): Promise<string | undefined> {
  const { confirmations, chain } = deps.network;
  const head = deps.head.number();
  if (head === undefined || head <= progress.lookedAt) return undefined;
  if (typeof confirmations === 'number' && head < BigInt(confirmations)) return undefined;
  const requests = await listUncheckedSignatures(deps.ledger, chain, 'on chain');
  if (requests.length === 0) {
    progress.lookedAt = head;
    return undefined;
  }
  let block: bigint;
  try {
    // By number, because Linea's nodes take the tag in every call but `eth_call`.
    block =
      typeof confirmations === 'number' ? head - BigInt(confirmations) : (await deps.rpc.getBlock({ blockTag: confirmations })).number;
  } catch (error) {
    return messageOf(error);
  }
  const outage = await decideAll(deps, requests, block, (_, { createdAt }) => {
    // "Not signed" is no verdict yet: the account may still sign.
    if (Date.now() - createdAt.getTime() <= patience) return undefined;
    return { state: 'expired', reason: 'the account did not sign within 5 days' };
  });
  if (outage === undefined) progress.lookedAt = head;
  return outage;
}

type Refuse = (verdict: SignatureVerdict & { kind: 'invalid' }, request: SignatureRequest) => SignatureDecision | undefined;

/** Asks all at one block and records what is found. `refuse` says what follows from a signature that is not valid. */
async function decideAll(deps: SignatureDeps, requests: SignatureRequest[], block: bigint, refuse: Refuse): Promise<string | undefined> {
  const checks = requests.map((request) => ({ ...request, allowUndeployed: request.kind === 'linkAddress' }));
  const verdicts = await verifySignatures(deps.rpc, checks, block);
  const decisions = requests.flatMap((request, index) => {
    const verdict = verdicts[index] as SignatureVerdict;
    if (verdict.kind === 'unavailable') return [];
    const decision = verdict.kind === 'valid' ? ({ state: 'valid' } as const) : refuse(verdict, request);
    return decision ? [{ request, decision }] : [];
  });
  await inParts(decisions, ({ request, decision }) => decide(deps, request, decision));
  return verdicts.find((verdict) => verdict.kind === 'unavailable')?.reason;
}

async function decide({ ledger, log }: SignatureDeps, request: SignatureRequest, verdict: SignatureDecision): Promise<void> {
  const { id, kind, address } = request;
  try {
    const recorded = await decideSignature(ledger, id, verdict);
    if (!recorded) return;
    log.info({ signatureRequest: id, kind, address, ...recorded }, 'signature decided');
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    // It is tried again, and must hold up no other.
    log.error({ signatureRequest: id, kind, address, err: error }, 'a verdict on a signature cannot be recorded');
  }
}

async function inParts<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += together) await Promise.all(items.slice(start, start + together).map(work));
}

/** One line when an outage begins and one when it ends. */
function report({ log }: SignatureDeps, progress: Progress, outage: string | undefined): void {
  if (outage !== undefined && progress.outage === undefined) log.warn({ err: outage }, 'no verdict on signatures; asking again');
  if (outage === undefined && progress.outage !== undefined) log.info('there are verdicts on signatures again');
  progress.outage = outage;
}
