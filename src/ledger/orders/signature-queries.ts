import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Currency, type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { NewLink } from '../customers/addresses.ts';
import type { Ledger } from '../ledger.ts';
import { mapPage, type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import type { RedemptionDraft } from './place-order.ts';
import { signatureQueue } from '../wake-ups.ts';
import type { Counterpart } from '../tables.ts';

/** The state of a request, with the reason when it is `invalid` or `expired`. */
export async function signatureState(
  ledger: Ledger,
  id: string,
): Promise<{ state: 'pending' | 'valid' | 'invalid' | 'expired'; reason: string | null }> {
  return ledger.selectFrom('signatureRequests').where('id', '=', id).select(['state', 'reason']).executeTakeFirstOrThrow();
}

/** Which pending signatures to list. */
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

/** The pending signatures of a profile, oldest first. The cursor is a request's id, which may have been decided since. Throws `unknown_cursor`. */
export async function listPendingSignatures(
  ledger: Ledger,
  { profile, address, chain, kind }: SignatureFilter,
  page: PageRequest,
): Promise<Page<PendingSignature>> {
  const ofProfile = ledger.selectFrom('signatureRequests').where('profile', '=', profile);
  const matching = ofProfile
    .where('state', '=', 'pending')
    .$if(address !== undefined, (query) => query.where('address', '=', address as LowerAddress))
    .$if(chain !== undefined, (query) => query.where('chain', '=', chain as Chain))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as 'order'))
    .select(['id', 'kind', 'chain', 'address', 'createdAt', 'draft']);
  return mapPage(await readPage(matching, ofProfile, oldestFirst, page), pendingSignature);
}

function pendingSignature({ draft, ...row }: Omit<PendingSignature, 'order'> & { draft: Record<string, unknown> }): PendingSignature {
  const { amount, currency, counterpart } = draft as unknown as RedemptionDraft;
  return { ...row, order: row.kind === 'order' ? { amount: minorUnits(BigInt(amount)), currency, counterpart } : undefined };
}

/** The pending request for the same link and signature. Finding it has it checked at once, as a new request would be. */
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
