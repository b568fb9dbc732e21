import type { Head } from '../chain/head.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type SignatureCheck, verifySignature } from '../chain/verify-signature.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { decideSignature, pendingSignatures, type SignatureRequest } from '../ledger/signature-requests.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { NetworkSettings } from '../platform/settings.ts';

export interface SignatureDeps {
  ledger: Ledger;
  rpc: Rpc;
  network: NetworkSettings;
  head: Head;
  log: Log;
  /** Called after orders became ready to send. */
  onValid: () => void;
}

/** How long an account has to sign on chain (wire facts, Signatures). */
const patience = 5 * 24 * 3_600 * 1_000;

/** Questions asked of a node at the same time; they travel in a few HTTP requests. */
const together = 100;

/** Longest sleep between two looks at signatures in hand, in milliseconds: a verdict that was unavailable is sought again after it. */
const interval = 1_000;

/**
 * Decides the signatures of a network's contract accounts. One in hand is asked at the newest block, as the token will
 * ask it; one on chain is looked for in every block that the confirmation policy covers. An outage decides nothing.
 */
export function startSignatureChecks(deps: SignatureDeps): Loop {
  const { network, head, log } = deps;
  const state = { lookedAt: -1n };
  const loop = startLoop({
    name: `signatures ${network.chain}`,
    interval,
    log,
    turn: async () => {
      await checkInHand(deps);
      const block = head.number();
      if (block === undefined || block <= state.lookedAt) return;
      await checkOnChain(deps, block);
      state.lookedAt = block;
    },
  });
  head.onBlock(() => loop.wake());
  return loop;
}

async function checkInHand(deps: SignatureDeps): Promise<void> {
  const requests = await pendingSignatures(deps.ledger, deps.network.chain, 'in hand');
  await inParts(requests, async (request) => {
    const verdict = await verifySignature(deps.rpc, checkOf(request));
    if (verdict.kind === 'unavailable') {
      deps.log.warn({ signatureRequest: request.id, err: verdict.reason }, 'no verdict on a signature; asking again');
      await expire(deps, request);
    } else
      await decide(
        deps,
        request,
        verdict.kind === 'valid' ? { state: 'valid' } : { state: 'invalid', reason: `invalid signature: ${verdict.reason}` },
      );
  });
}

async function checkOnChain(deps: SignatureDeps, head: bigint): Promise<void> {
  const { CONFIRMATIONS } = deps.network;
  const requests = await pendingSignatures(deps.ledger, deps.network.chain, 'on chain');
  if (typeof CONFIRMATIONS === 'number' && head < BigInt(CONFIRMATIONS)) return;
  const block = typeof CONFIRMATIONS === 'number' ? { blockNumber: head - BigInt(CONFIRMATIONS) } : { blockTag: CONFIRMATIONS };
  await inParts(requests, async (request) => {
    const verdict = await verifySignature(deps.rpc, { ...checkOf(request), block });
    // "Not signed" is no verdict here: the account may still sign.
    if (verdict.kind === 'valid') await decide(deps, request, { state: 'valid' });
    else await expire(deps, request);
  });
}

function checkOf({ kind, address, digest, signature }: SignatureRequest): SignatureCheck {
  return { address, digest, signature, allowUndeployed: kind === 'linkAddress' };
}

async function expire(deps: SignatureDeps, request: SignatureRequest): Promise<void> {
  if (Date.now() - request.createdAt.getTime() > patience)
    await decide(deps, request, { state: 'expired', reason: 'the account did not sign within 5 days' });
}

async function decide(
  { ledger, log, onValid }: SignatureDeps,
  request: SignatureRequest,
  verdict: Parameters<typeof decideSignature>[2],
): Promise<void> {
  await decideSignature(ledger, request.id, verdict);
  log.info({ signatureRequest: request.id, kind: request.kind, address: request.address, ...verdict }, 'signature decided');
  if (verdict.state === 'valid' && request.kind === 'order') onValid();
}

async function inParts<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += together) await Promise.all(items.slice(start, start + together).map(work));
}
