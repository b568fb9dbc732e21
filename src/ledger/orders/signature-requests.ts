import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { rejectUnsigned, releaseRedemption } from './lifecycle.ts';
import { StopError } from '../../platform/errors.ts';
import { type Currency, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { linkAddress, type NewLink } from '../customers/addresses.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { type PageRequest, readPage, type Sort } from '../page.ts';
import { signatureQueue } from '../queues.ts';
import { placeRedemption, type RedemptionDraft } from './place-order.ts';
import type { Counterpart } from '../tables.ts';

/** What linking an address by a contract's signature brings about. */
interface LinkDraft {
  profile: string;
  address: LowerAddress;
  chain: Chain;
  /** The user in whose name it is linked. */
  user: string;
}

export type SignatureDraft = { kind: 'order'; draft: RedemptionDraft } | { kind: 'linkAddress'; draft: LinkDraft };

export type NewSignatureRequest = SignatureDraft & {
  /** EIP-191 hash of the message. */
  digest: string;
  /** `0x` when the account signs on chain. */
  signature: string;
  correlationId: string | null;
};

/** What a network's worker looks at. */
export interface SignatureRequest {
  id: string;
  kind: 'order' | 'linkAddress';
  address: LowerAddress;
  digest: `0x${string}`;
  signature: `0x${string}`;
  createdAt: Date;
}

export type SignatureDecision = { state: 'valid' } | { state: 'invalid' | 'expired'; reason: string };

/**
 * Asks a network's worker to check a contract's signature. An order that its account signs on chain is placed at once and
 * waits; one with a signature in hand is placed when that is found valid, or by {@link placeBeforeVerdict}.
 * Returns the request's id, or undefined when the message already authorises an order of this address.
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
    if (inserted) tx.wakeUps.add(signatureQueue(draft.chain));
    if (!inserted || kind !== 'order' || signature !== '0x') return inserted?.id;
    if (await placeWaiting(tx, inserted.id, draft)) return inserted.id;
    await tx.deleteFrom('signatureRequests').where('id', '=', inserted.id).execute();
    return undefined;
  });
}

/** What became of a request so far. */
export async function signatureState(
  ledger: Ledger,
  id: string,
): Promise<{ state: 'pending' | 'valid' | 'invalid' | 'expired'; reason: string | null }> {
  return ledger.selectFrom('signatureRequests').where('id', '=', id).select(['state', 'reason']).executeTakeFirstOrThrow();
}

/** The verdict takes longer than the client can wait: its order is placed, and waits for it. Changes nothing once there is a verdict. */
export async function placeBeforeVerdict(ledger: Ledger, id: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const request = await lockPending(tx, id);
    if (request?.kind === 'order' && request.orderId === null) await placeWaiting(tx, id, request.draft as unknown as RedemptionDraft);
  });
}

/** A message that is taken leaves no order behind: a request in hand then stands for itself, and its verdict brings about nothing. */
async function placeWaiting(tx: LedgerTransaction, id: string, draft: RedemptionDraft): Promise<boolean> {
  if (!(await placeRedemption(tx, draft, false))) return false;
  await tx.updateTable('signatureRequests').set({ orderId: draft.id }).where('id', '=', id).execute();
  return true;
}

/** The requests of a network that have no verdict, oldest first: those with a signature in hand, or those that the account signs on chain. */
export async function listUncheckedSignatures(ledger: Ledger, chain: Chain, given: 'in hand' | 'on chain'): Promise<SignatureRequest[]> {
  const rows = await ledger
    .selectFrom('signatureRequests')
    .where('chain', '=', chain)
    .where('state', '=', 'pending')
    .where('signature', given === 'on chain' ? '=' : '<>', '0x')
    .orderBy('id')
    .select(['id', 'kind', 'address', 'digest', 'signature', 'createdAt'])
    .execute();
  return rows as SignatureRequest[];
}

/**
 * `pending` -> the verdict, with all that follows from it, in one transaction. A second verdict changes nothing. A valid
 * signature for an address that another profile has linked meanwhile is recorded as invalid. Returns what was recorded.
 */
export async function decideSignature(ledger: Ledger, id: string, verdict: SignatureDecision): Promise<SignatureDecision | undefined> {
  return inTransaction(ledger, async (tx) => {
    const request = await lockPending(tx, id);
    if (!request) return undefined;
    const decided =
      request.kind === 'order'
        ? await decideOrder(tx, request, verdict)
        : await decideLink(tx, request.draft as unknown as LinkDraft, verdict);
    await tx
      .updateTable('signatureRequests')
      .set({ state: decided.state, reason: decided.state === 'valid' ? null : decided.reason, decidedAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    return decided;
  });
}

async function decideOrder(tx: LedgerTransaction, request: LockedRequest, verdict: SignatureDecision): Promise<SignatureDecision> {
  if (request.orderId === null) {
    const draft = request.draft as unknown as RedemptionDraft;
    if (verdict.state === 'valid' && (await placeRedemption(tx, draft, true))) {
      await tx.updateTable('signatureRequests').set({ orderId: draft.id }).where('id', '=', request.id).execute();
    }
  } else if (verdict.state === 'valid') await releaseRedemption(tx, request.orderId);
  else await rejectUnsigned(tx, request.orderId, verdict.reason);
  return verdict;
}

async function decideLink(tx: LedgerTransaction, draft: LinkDraft, verdict: SignatureDecision): Promise<SignatureDecision> {
  if (verdict.state !== 'valid') return verdict;
  try {
    await linkAddress(tx, draft);
    return verdict;
  } catch (error) {
    if (error instanceof StopError) return { state: 'invalid', reason: error.fields?.address ?? error.message };
    throw error;
  }
}

type LockedRequest = NonNullable<Awaited<ReturnType<typeof lockPending>>>;

function lockPending(tx: LedgerTransaction, id: string) {
  return tx
    .selectFrom('signatureRequests')
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .select(['id', 'kind', 'orderId', 'draft'])
    .forUpdate()
    .executeTakeFirst();
}

export interface SignatureFilter {
  profile: string;
  address?: LowerAddress | undefined;
  chain?: Chain | undefined;
  kind?: 'order' | 'linkAddress' | undefined;
}

/** A request as `GET /signatures` shows it (docs/api.md, Signature requests). */
export interface PendingSignature {
  id: string;
  kind: 'order' | 'linkAddress';
  chain: Chain;
  address: LowerAddress;
  createdAt: Date;
  /** Of an order. */
  order: { amount: MinorUnits; currency: Currency; counterpart: Counterpart } | undefined;
}

const oldestFirst: Sort = { at: 'createdAt', cursor: 'id', direction: 'asc', cursorMeaning: 'a signature of this profile' };

/** The pending signatures of a profile, oldest first. The cursor is a signature's id, also when it is decided by now. Throws `unknown_cursor`. */
export async function listPendingSignatures(
  ledger: Ledger,
  { profile, address, chain, kind }: SignatureFilter,
  page: PageRequest,
): Promise<{ rows: PendingSignature[]; total: number }> {
  const ofProfile = ledger.selectFrom('signatureRequests').where('profile', '=', profile);
  const matching = ofProfile
    .where('state', '=', 'pending')
    .$if(address !== undefined, (query) => query.where('address', '=', address as LowerAddress))
    .$if(chain !== undefined, (query) => query.where('chain', '=', chain as Chain))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as 'order'))
    .select(['id', 'kind', 'chain', 'address', 'createdAt', 'draft']);
  const { rows, total } = await readPage(matching, ofProfile, oldestFirst, page);
  return { rows: rows.map(pendingSignature), total };
}

function pendingSignature({ draft, ...row }: Omit<PendingSignature, 'order'> & { draft: Record<string, unknown> }): PendingSignature {
  const { amount, currency, counterpart } = draft as unknown as RedemptionDraft;
  return { ...row, order: row.kind === 'order' ? { amount: minorUnits(BigInt(amount)), currency, counterpart } : undefined };
}

/** The pending request to link an address by a contract's signature: asking again makes no second one, and has it checked at once. */
export async function findLinkRequest(ledger: Ledger, link: NewLink, signature: string): Promise<string | undefined> {
  const request = await ledger
    .selectFrom('signatureRequests')
    .where('profile', '=', link.profile)
    .where('state', '=', 'pending')
    .where('kind', '=', 'linkAddress')
    .where('chain', '=', link.chain)
    .where('address', '=', link.address)
    .where('signature', '=', signature)
    .select('id')
    .executeTakeFirst();
  if (request) ledger.wakeUps.add(signatureQueue(link.chain));
  return request?.id;
}
