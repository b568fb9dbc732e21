import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { NewLink } from '../customers/addresses.ts';
import { withSources } from '../customers/link-source.ts';
import type { Ledger } from '../ledger.ts';
import { isContested } from './contested-links.ts';
import { mapPage, type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import type { RedemptionDraft } from './placement/insert-redemptions.ts';
import { signatureQueue } from '../wake-ups.ts';

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
  /** Whether another profile waits for the same signature, so that it links neither. */
  isContested: boolean;
  /** Of an order. */
  order: (Pick<RedemptionDraft, 'currency' | 'counterpart' | 'message'> & { amount: MinorUnits }) | undefined;
}

const oldestFirst: Sort = { at: 'createdAt', cursor: 'publicId', direction: 'asc', cursorMeaning: 'a signature of this profile' };

/** The pending signatures of a profile, oldest first. The cursor is the id of one, which may have been decided since. Throws `unknown_cursor`. */
export async function listPendingSignatures(
  ledger: Ledger,
  { profile, address, chain, kind }: SignatureFilter,
  page: PageRequest,
): Promise<Page<PendingSignature>> {
  const ofProfile = ledger.selectFrom('signatureRequests as r').where('profile', '=', profile);
  const matching = ofProfile
    // In the text, because a plan for all values uses no index of pending requests.
    .where('state', '=', sql.lit('pending'))
    .$if(address !== undefined, (query) => query.where('address', '=', address as LowerAddress))
    .$if(chain !== undefined, (query) => query.where('chain', '=', chain as Chain))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as 'order'))
    .select(['publicId', 'kind', 'chain', 'address', 'createdAt', 'draft'])
    .select(isContested.as('isContested'));
  return mapPage(await readPage(ledger, { matching: [matching], known: ofProfile, sort: oldestFirst }, page), pendingSignature);
}

type Row = Omit<PendingSignature, 'id' | 'order'> & { publicId: string | null; draft: Record<string, unknown> };

function pendingSignature({ publicId, draft, ...row }: Row): PendingSignature {
  const { amount, currency, counterpart, message } = draft as unknown as RedemptionDraft;
  const order = row.kind === 'order' ? { amount: minorUnits(BigInt(amount)), currency, counterpart, message } : undefined;
  return { id: publicId as string, ...row, order };
}

/** A link that its account has not confirmed, or that came too late. */
export interface EndedLink {
  id: string;
  chain: Chain;
  address: LowerAddress;
  createdAt: Date;
  decidedAt: Date;
  state: 'invalid' | 'expired';
  reason: string;
}

/** Ended links that are listed at most, and for how many days. */
const mostEnded = 100;
const endedDays = 30;

/** The links of a profile that came to nothing in the last 30 days, the latest first, at most 100. */
export async function listEndedLinks(ledger: Ledger, { profile, address, chain, kind }: SignatureFilter): Promise<EndedLink[]> {
  if (kind === 'order') return [];
  const { rows } = await sql<EndedLink>`
    select id, chain, address, created_at as "createdAt", decided_at as "decidedAt", state, reason from signature_requests
    where profile = ${profile} and kind = 'linkAddress' and state in ('invalid', 'expired') and draft ->> 'signsIn' is null
      and decided_at > now() - make_interval(days => ${endedDays})
      ${address === undefined ? sql`` : sql`and address = ${address}`} ${chain === undefined ? sql`` : sql`and chain = ${chain}`}
    order by decided_at desc limit ${mostEnded}
  `.execute(ledger);
  return rows;
}

/** The pending request for the same link, message and signature. Finding it has it checked at once, as a new request would be, and adds the sources of the link. */
export async function findLinkRequest(ledger: Ledger, link: NewLink, digest: string, signature: string): Promise<string | undefined> {
  const request = await ledger
    .updateTable('signatureRequests')
    .set({ checkAt: sql`now()`, draft: withSources(link.sources ?? []) })
    .where('profile', '=', link.profile)
    .where('state', '=', sql.lit('pending'))
    .where('kind', '=', 'linkAddress')
    .where('chain', '=', link.chain)
    .where('address', '=', link.address)
    .where('digest', '=', digest)
    .where(sql<boolean>`${signature} in (signature, draft ->> 'sentSignature')`)
    .returning('id')
    .executeTakeFirst();
  if (request) ledger.wakeUps.add(signatureQueue(link.chain));
  return request?.id;
}
