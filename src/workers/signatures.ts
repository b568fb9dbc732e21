import type { Hex } from 'viem';
import { offeredTip } from '../chain/fee-policy.ts';
import type { Head } from '../chain/head.ts';
import type { MarketReader } from '../chain/market-reader.ts';
import type { Rpc } from '../chain/endpoints/rpc.ts';
import { explainRefusal } from '../chain/signatures/explain-refusal.ts';
import { refusedByAccount, type SignatureCheck, type SignatureVerdict, verifySignatures } from '../chain/signatures/verify.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { awaitedSignatures, listDueSignatures, onChainDeadlineMs, putOffSignatures } from '../ledger/orders/due-signatures.ts';
import { linkedElsewhere } from '../ledger/customers/release-address.ts';
import { decideSignature, lostAddress, type SignatureRequest, type SignatureDecision } from '../ledger/orders/signature-requests.ts';
import { invalidSignatureReason } from '../ledger/orders/await-verdict.ts';
import { signatureQueue } from '../ledger/wake-ups.ts';
import { isDatabaseOutage } from '../platform/database.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { Waker } from '../platform/queue/waker.ts';
import type { Currency } from '../platform/money.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import { recordSpan } from '../platform/tracing/spans.ts';

/** What the signature checks of a network need. */
export interface SignatureDeps {
  ledger: Ledger;
  rpc: Rpc;
  network: NetworkSettings;
  /** Who may send redemptions: accounts are asked as in a transaction of each of these signers. Those that are not reached send nothing. */
  senders: () => readonly Hex[];
  /** From which the lanes' transactions have their price too. */
  market: Pick<MarketReader, 'forNew'>;
  head: Head;
  log: Log;
  waker: Pick<Waker, 'listen'>;
  /** Most connections of the ledger. Decisions are recorded on half of them, so that a burst leaves the lanes and the settler the others. */
  poolSize: number;
}

/** The queue wakes the checks, and while signatures are awaited each block does. The sweep finds what a lost wake-up has left, and tries again after an outage. */
const sweepMs = 5_000;

interface Progress {
  /** The head at which signatures on chain were checked last. */
  checkedHead: bigint;
  /** Why verdicts are unavailable; undefined while they are available. */
  outage: string | undefined;
}

/**
 * Decides the signature requests of a network's contract accounts. A submitted signature is checked at the newest block, as the token
 * contract will check it. A signature that the account gives on chain is looked for in every block that the confirmation policy
 * covers, the older the request the less often, and of at most 256 requests in a block. An outage decides nothing, and no deadline passes during
 * one.
 */
export function startSignatureChecks(deps: SignatureDeps): Loop {
  const { network, head, log, waker } = deps;
  const progress: Progress = { checkedHead: -1n, outage: undefined };
  let areAwaited = true;
  return startLoop({
    name: `signatures ${network.chain}`,
    intervalMs: sweepMs,
    wokenBy: [(wake) => waker.listen(signatureQueue(network.chain), wake), (wake) => head.onBlock(() => areAwaited && wake())],
    log,
    turn: async () => {
      const awaited = await awaitedSignatures(deps.ledger, network.chain);
      ({ areAwaited } = awaited);
      if (!awaited.areDue) return report(deps, progress, undefined);
      const submitted = await checkSubmitted(deps);
      const onChain = await checkOnChain(deps, progress);
      report(deps, progress, submitted ?? onChain);
    },
  });
}

/** Refusals that are explained in a turn: each costs three requests, and anybody may send thousands of false signatures. */
const mostExplained = 8;

/** Returns why a verdict was unavailable, if one was. */
async function checkSubmitted(deps: SignatureDeps): Promise<string | undefined> {
  const { ledger, rpc, network, head } = deps;
  const requests = await listDueSignatures(ledger, network.chain, 'in request');
  if (requests.length === 0) return undefined;
  let newest: bigint;
  try {
    newest = await rpc.getBlockNumber({ cacheTime: 0 });
  } catch (error) {
    return messageOf(error);
  }
  // By number, because "latest" at a node that lags behind the others may be from before the account was deployed.
  const seen = head.number() ?? 0n;
  const block = newest > seen ? newest : seen;
  let explained = 0;
  return decideAll(deps, requests, block, async ({ reason }, request) => {
    const isExplained = reason === refusedByAccount && (explained += 1) <= mostExplained;
    const more = isExplained ? await explainRefusal(rpc, { ...request, chain: network.chain }, block) : undefined;
    return { state: 'invalid', reason: invalidSignatureReason(more ?? reason) };
  });
}

/** Returns why a verdict was unavailable, if one was: then those that are due are checked again at the same head. */
async function checkOnChain(deps: SignatureDeps, progress: Progress): Promise<string | undefined> {
  const { confirmations, chain } = deps.network;
  const head = deps.head.number();
  if (head === undefined || head === progress.checkedHead) return undefined;
  if (typeof confirmations === 'number' && head < BigInt(confirmations)) return undefined;
  const requests = await listDueSignatures(deps.ledger, chain, 'on chain');
  if (requests.length === 0) {
    progress.checkedHead = head;
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
  const outage = await decideAll(deps, requests, block, async (_, { createdAt }) => {
    // "Not signed" is no verdict yet: the account may still sign.
    if (!isLate(createdAt)) return undefined;
    return { state: 'expired', reason: 'the account did not sign within 5 days' };
  });
  if (outage === undefined) progress.checkedHead = head;
  return outage;
}

/** What an invalid signature means for its request; undefined while it may still become valid. */
type DecideInvalid = (verdict: SignatureVerdict & { kind: 'invalid' }, request: SignatureRequest) => Promise<SignatureDecision | undefined>;

/** Checks all at one block, records the decisions and puts off what is undecided. Returns why a verdict was unavailable, if one was. */
async function decideAll(
  deps: SignatureDeps,
  requests: SignatureRequest[],
  block: bigint,
  decideInvalid: DecideInvalid,
): Promise<string | undefined> {
  let tipPerGas: bigint;
  try {
    tipPerGas = offeredTip(await deps.market.forNew(), deps.network);
  } catch (error) {
    return messageOf(error);
  }
  const verdicts = await verifySignatures(
    deps.rpc,
    { addresses: deps.senders(), tipPerGas },
    requests.map((request) => checkOf(request, deps.network)),
    block,
  );
  const looked = await Promise.all(
    requests.map(async (request, index) => {
      const decision = endedBefore(request) ?? (await decisionOf(verdicts[index] as SignatureVerdict, request, decideInvalid));
      return decision ? [{ request, decision }] : [];
    }),
  );
  const decisions = looked.flat();
  // Also those that are decided: a valid signature for which several profiles wait stays pending.
  await putOffSignatures(
    deps.ledger,
    requests.filter((_, index) => verdicts[index]?.kind !== 'unavailable').map(({ id }) => id),
  );
  const recordedAtOnce = Math.max(1, Math.floor(deps.poolSize / 2));
  for (let start = 0; start < decisions.length; start += recordedAtOnce)
    await Promise.all(decisions.slice(start, start + recordedAtOnce).map(({ request, decision }) => record(deps, request, decision)));
  return verdicts.find((verdict) => verdict.kind === 'unavailable')?.reason;
}

/** How a request ends whose account can sign nothing any more that would help. */
function endedBefore({ isOfLostAddress, isLinkedElsewhere }: SignatureRequest): SignatureDecision | undefined {
  if (isOfLostAddress) return { state: 'invalid', reason: lostAddress };
  return isLinkedElsewhere ? { state: 'invalid', reason: linkedElsewhere } : undefined;
}

async function decisionOf(
  verdict: SignatureVerdict,
  request: SignatureRequest,
  decideInvalid: DecideInvalid,
): Promise<SignatureDecision | undefined> {
  if (verdict.kind === 'unavailable') return undefined;
  return verdict.kind === 'valid' ? { state: 'valid', isForAnyBytes: verdict.isForAnyBytes } : decideInvalid(verdict, request);
}

/**
 * An account is believed for a link or a sign-in only as far as it looks at what it is given. One that takes any bytes of the fixed sentence, or of the
 * message of a sign-in, has approved it on chain, where everybody finds that; one that takes any bytes of any message proves nothing by a linking message.
 */
function checkOf(
  { kind, publicId, currency, address, digest, signature, proof }: SignatureRequest,
  { tokens }: NetworkSettings,
): SignatureCheck {
  const token = tokenFor(currency, tokens);
  if (kind === 'order') return { address, token, digest, signature, orderId: publicId, allowUndeployed: false };
  const link = { address, token, digest, signature, allowUndeployed: true };
  if (proof === 'message') return { ...link, randomBytes: 'of any message' };
  return signature === '0x' ? link : { ...link, randomBytes: 'of this message' };
}

/** The token of an order; of a link, which is for all currencies, the first of the network. */
function tokenFor(currency: Currency | null, tokens: NetworkSettings['tokens']): Hex {
  const [first] = Object.values(tokens);
  return ((currency && tokens[currency]) ?? first) as Hex;
}

async function record({ ledger, log }: SignatureDeps, request: SignatureRequest, decision: SignatureDecision): Promise<void> {
  const { id, kind, address, correlationId } = request;
  const keys = { signatureRequest: id, kind, address, correlationId, ...(kind === 'order' ? { orderId: request.publicId } : {}) };
  const startedAt = Date.now();
  try {
    // A valid one is not recorded while several profiles wait for it.
    const recorded = await decideSignature(ledger, id, decision);
    if (!recorded) return;
    log.info({ ...keys, ...recorded }, 'signature decided');
    const attributes = { 'mintrail.signature': decision.state };
    if (kind === 'order') recordSpan({ subject: request.publicId, name: 'decide signature', startedAt, attributes });
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    // It is tried again, and holds up no other.
    log.error({ ...keys, err: error }, 'the decision on a signature cannot be recorded');
  }
}

function isLate(createdAt: Date): boolean {
  return Date.now() - createdAt.getTime() > onChainDeadlineMs;
}

/** One line when an outage begins and one when it ends. */
function report({ log }: SignatureDeps, progress: Progress, outage: string | undefined): void {
  if (outage !== undefined && progress.outage === undefined)
    log.warn({ err: outage }, 'verdicts on signatures are unavailable; they are tried again');
  if (outage === undefined && progress.outage !== undefined) log.info('verdicts on signatures are available again');
  progress.outage = outage;
}
