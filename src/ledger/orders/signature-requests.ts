import { sql } from 'kysely';
import type { Currency } from '../../platform/money.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import { rejectUnsigned, releaseRedemption } from './lifecycle.ts';
import { StopError } from '../../platform/errors.ts';
import { findLink, linkAddress, type NewLink } from '../customers/addresses.ts';
import type { LinkProof } from '../customers/link-proof.ts';
import { isContestedLink, markContested } from './contested-links.ts';
import { inSavepoint, inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { requireWithinQuota } from '../quotas.ts';
import { signatureQueue } from '../wake-ups.ts';
import { insertRedemption, type RedemptionDraft } from './placement/insert-redemptions.ts';

/** The link that a contract's valid signature creates; none when a user only signs in. */
type LinkDraft = NewLink & {
  signsIn?: boolean;
  /** What was sent, where it proves no more than `0x`. */
  sentSignature?: string;
};

/** What a valid signature creates: an order or a link. */
export type SignatureDraft = { kind: 'order'; draft: RedemptionDraft } | { kind: 'linkAddress'; draft: LinkDraft };

/** A signature to be checked on its chain. */
export type NewSignatureRequest = SignatureDraft & {
  /** EIP-191 hash of the message. */
  digest: string;
  /** `0x` when the account signs on chain. */
  signature: string;
  correlationId: string | null;
};

/** A signature request as a network's worker checks it. */
export interface SignatureRequest {
  id: string;
  kind: 'order' | 'linkAddress';
  address: LowerAddress;
  /** Of an order; null for a link. */
  currency: Currency | null;
  digest: `0x${string}`;
  signature: `0x${string}`;
  createdAt: Date;
  correlationId: string | null;
  /** What clients know the request by: of an order, the id of the order. */
  publicId: string;
  /** What the link rests on that a valid signature creates; null for an order or a sign-in. */
  proof: LinkProof['kind'] | null;
  /** Whether it is for an order of an address that its profile has lost. */
  isOfLostAddress: boolean;
  /** Whether it waits for the fixed sentence on chain of an address that another profile has linked. */
  isLinkedElsewhere: boolean;
}

/** How a signature request ends. `isForAnyBytes`: the account takes whatever bytes are given, so the signature shows no more than an approval on chain. */
export type SignatureDecision = { state: 'valid'; isForAnyBytes?: boolean } | { state: 'invalid' | 'expired'; reason: string };

/**
 * Asks a network's worker to check a contract's signature. An order that its account signs on chain is placed at once, and its first leg
 * waits. One that comes with its signature is placed once that is valid, or by {@link placeBeforeVerdict}. Returns the request's id, or
 * `undefined` when the message was already used for an order of this address. Throws `rate_limited` when too many of the profile are pending.
 */
export async function requestSignature(ledger: Ledger, request: NewSignatureRequest): Promise<string | undefined> {
  const { kind, draft, digest, signature, correlationId } = request;
  return inTransaction(ledger, async (tx) => {
    const inserted = await tx
      .insertInto('signatureRequests')
      .values({
        kind,
        profile: draft.profile,
        chain: draft.chain,
        address: draft.address,
        digest,
        signature,
        draft: JSON.stringify(draft),
        correlationId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted) {
      const signsIn = request.kind === 'linkAddress' && request.draft.signsIn === true;
      await requireWithinQuota(tx, signsIn ? 'pendingSignIns' : 'pendingSignatures', draft.profile);
      if (kind === 'linkAddress' && !signsIn) await requireWithinQuota(tx, 'pendingLinksBeforeApproval', draft.profile);
      tx.wakeUps.add(signatureQueue(draft.chain));
    }
    if (!inserted || kind !== 'order' || signature !== '0x') return inserted?.id;
    if (await placeWaiting(tx, inserted.id, draft)) return inserted.id;
    await tx.deleteFrom('signatureRequests').where('id', '=', inserted.id).execute();
    return undefined;
  });
}

/** Places the order of a request whose verdict takes longer than the client can wait: its first leg waits. Does nothing once the request is decided. */
export async function placeBeforeVerdict(ledger: Ledger, id: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const request = await lockPending(tx, id);
    if (request?.kind === 'order' && request.orderId === null) await placeWaiting(tx, id, request.draft as unknown as RedemptionDraft);
  });
}

/** Places the order of a request, unless its id or message is taken: then the request has no order, and its verdict has no effect. */
async function placeWaiting(tx: LedgerTransaction, id: string, draft: RedemptionDraft): Promise<boolean> {
  if (!(await insertRedemption(tx, draft, 'awaited'))) return false;
  await tx.updateTable('signatureRequests').set({ orderId: draft.id }).where('id', '=', id).execute();
  return true;
}

/**
 * `pending` -> `valid`, `invalid` or `expired`, with the effects on order or link, in one transaction. A second decision does nothing and
 * returns `undefined`, as does a valid signature while several profiles wait for it ({@link isContestedLink}). A valid signature for an address
 * that another profile has linked in the meantime is recorded as invalid, and so is a sign-in by any bytes. Returns what was recorded.
 */
export async function decideSignature(ledger: Ledger, id: string, verdict: SignatureDecision): Promise<SignatureDecision | undefined> {
  return inTransaction(ledger, async (tx) => {
    const request = await lockPending(tx, id);
    if (!request) return undefined;
    const createsLink = request.kind === 'linkAddress' && (request.draft as unknown as LinkDraft).signsIn !== true;
    const isForAnyBytes = verdict.state === 'valid' && verdict.isForAnyBytes === true;
    const current = createsLink && isForAnyBytes ? await asSignedOnChain(tx, request) : request;
    if (verdict.state === 'valid' && (await isContestedLink(tx, id))) {
      await markContested(tx, id);
      return undefined;
    }
    const decided = current.kind === 'order' ? await decideOrder(tx, current, verdict) : await decideLink(tx, current, verdict);
    await tx
      .updateTable('signatureRequests')
      .set({ state: decided.state, reason: decided.state === 'valid' ? null : decided.reason, decidedAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    return decided;
  });
}

async function decideOrder(tx: LedgerTransaction, request: LockedRequest, verdict: SignatureDecision): Promise<SignatureDecision> {
  const draft = request.draft as unknown as RedemptionDraft;
  const isLost = verdict.state === 'valid' && !(await findLink(tx, draft));
  const decided: SignatureDecision = isLost ? { state: 'invalid', reason: lostAddress } : verdict;
  if (request.orderId === null) {
    if (decided.state === 'valid' && (await insertRedemption(tx, draft, 'by contract'))) {
      await tx.updateTable('signatureRequests').set({ orderId: draft.id }).where('id', '=', request.id).execute();
    }
  } else if (decided.state === 'valid') await releaseRedemption(tx, request.orderId);
  else await rejectUnsigned(tx, request.orderId, decided.reason);
  return decided;
}

/** Why an order is rejected whose profile has lost the address before the account signed. */
export const lostAddress = 'the address is no longer linked to the profile';

/** A link whose signature may come from anybody goes on as what it shows: an approval on chain, for which others may wait as well. */
async function asSignedOnChain(tx: LedgerTransaction, request: LockedRequest): Promise<LockedRequest> {
  const draft = { ...request.draft, proof: { kind: 'sentence on chain' }, sentSignature: request.signature };
  await tx
    .updateTable('signatureRequests')
    .set({ signature: '0x', draft: JSON.stringify(draft) })
    .where('id', '=', request.id)
    .execute();
  return { ...request, draft };
}

async function decideLink(tx: LedgerTransaction, request: LockedRequest, verdict: SignatureDecision): Promise<SignatureDecision> {
  const draft = request.draft as unknown as LinkDraft;
  if (verdict.state !== 'valid') return verdict;
  if (draft.signsIn === true)
    return verdict.isForAnyBytes === true ? { state: 'invalid', reason: 'the account takes any bytes for its signature' } : verdict;
  try {
    // Otherwise a link that fails halfway would still have taken the address from another profile.
    await inSavepoint(tx, () => linkAddress(tx, draft));
    return verdict;
  } catch (error) {
    if (error instanceof StopError)
      return { state: 'invalid', reason: error.fields?.['address'] ?? error.fields?.['message'] ?? error.message };
    throw error;
  }
}

type LockedRequest = NonNullable<Awaited<ReturnType<typeof lockPending>>>;

function lockPending(tx: LedgerTransaction, id: string) {
  return tx
    .selectFrom('signatureRequests')
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .select(['id', 'kind', 'orderId', 'signature', 'draft'])
    .forUpdate()
    .executeTakeFirst();
}
