import { type RawBuilder, sql } from 'kysely';
import { MintrailError } from '../../../platform/errors.ts';
import type { Send } from '../../../platform/postgres/pipelined-transaction.ts';
import type { ProfileOwnership } from '../../access/permissions.ts';
import type { FileOwnership } from '../../customers/files.ts';
import type { OrderFacts } from '../events.ts';
import { openRedemptions, type TokenHolder } from '../pending-redemptions.ts';
import { factColumns } from './insert-redemptions.ts';
import { isIssuedOtherwise } from './issued-ids.ts';
import type { LinkedProfile } from '../redemption-rules.ts';
import { type Holding, holderKey, type ReadHoldings, type RedemptionRequest, type ReservedOrders } from './redemption-request.ts';

/** What the ledger knows of a request. */
export interface RequestFacts {
  /** The profile that has linked the address on the chain. */
  linked: LinkedProfile | undefined;
  /** The file that the request names, if it is stored. */
  file: FileOwnership | undefined;
  isIdTaken: boolean;
  /** Whether the id is that of an issue order which this ledger has lost. */
  isIdIssued: boolean;
  /** Whether an order of the address has used the message. */
  isMessageUsed: boolean;
  /** Whether the message waits for the signature of the address's contract. */
  hasSignatureRequest: boolean;
  /** Whether the chain has burnt the tokens of a message that no order of this ledger has: the order was lost, and may be placed again at any time. */
  isLost: boolean;
}

/** Holdings by {@link holderKey}, or why they cannot be read. */
export type Holdings = ReadonlyMap<string, Holding | MintrailError>;

/** An order that exists, with what an identical request is recognised by. */
export interface ExistingOrder {
  order: OrderFacts;
  requestHash: string | null;
  profile: ProfileOwnership;
  awaitsSignature: boolean;
}

/** What the ledger knows of each request, in their order. */
export async function readFacts(send: Send, requests: readonly RedemptionRequest[]): Promise<RequestFacts[]> {
  const drafts = requests.map(({ draft }) => draft);
  const rows = await send(sql<FactsRow>`
    select linked.profile, linked.state, linked.application, linked.owner, f.application as file_application, f.uploaded_by,
      ${isThere(sql`orders o where o.id = r.id`)} as is_id_taken,
      ${isIssuedOtherwise(sql`r.id`, sql`r`)} as is_id_issued,
      ${isThere(sql`orders o where o.kind = 'redeem' and o.address = r.account and o.digest = r.digest`)} as is_message_used,
      ${isThere(sql`signature_requests s
        where s.address = r.account and s.digest = r.digest and s.kind = 'order' and s.state = 'pending' and s.order_id is null`)}
        as has_signature_request,
      ${isThere(sql`unrecorded_outcomes u
        where u.account = r.account and u.digest = r.digest and u.chain = r.chain and u.kind = 'redeem' and u.state <> 'applied'`)}
        as is_lost
    from unnest(
      ${drafts.map(({ id }) => id)}::uuid[], ${drafts.map(({ address }) => address)}::text[], ${drafts.map(({ chain }) => chain)}::text[],
      ${drafts.map(({ digest }) => digest)}::text[], ${drafts.map(({ supportingDocument }) => supportingDocument)}::uuid[],
      ${drafts.map(({ amount }) => amount)}::numeric[]
    ) with ordinality as r (id, account, chain, digest, file, amount, position)
    left join lateral (
      select p.id as profile, p.state, p.application, p.owner
      from address_links l join addresses a on a.address = l.address join profiles p on p.id = a.profile
      where l.address = r.account and l.chain = r.chain limit 1
    ) linked on true
    left join lateral (
      select f.application, f.uploaded_by from files f where f.id = r.file and f.stored_at is not null limit 1
    ) f on true
    order by r.position
  `);
  return rows.map(factsOf);
}

/**
 * Whether there is a row, looked up for each request by an index. For `exists` the plan of a ledger that was small once may read the whole table, which
 * has grown since.
 */
function isThere(rows: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(select true from ${rows} limit 1) is not null`;
}

type FactsRow = Pick<RequestFacts, 'isIdTaken' | 'isIdIssued' | 'isMessageUsed' | 'hasSignatureRequest' | 'isLost'> &
  Omit<LinkedProfile, 'id'> & { profile: string | null; fileApplication: string | null; uploadedBy: string | null };

function factsOf({ profile, state, application, owner, fileApplication, uploadedBy, ...facts }: FactsRow): RequestFacts {
  return {
    ...facts,
    linked: profile === null ? undefined : { id: profile, state, application, owner },
    file: uploadedBy === null ? undefined : { application: fileApplication, uploadedBy },
  };
}

/** What each holder holds, by the indexed rows of its chain. */
export async function readHoldings(
  send: Send,
  holders: readonly TokenHolder[],
  reserved: ReservedOrders,
  read: ReadHoldings,
): Promise<Holdings> {
  const distinct = new Map(holders.map((holder) => [holderKey(holder), holder]));
  const byChain = Map.groupBy(distinct.values(), ({ chain }) => chain);
  const results = await Promise.all(
    Array.from(byChain, async ([chain, ofChain]): Promise<[string, Holding | MintrailError][]> => {
      try {
        const holdings = await read(send, { chain, holders: ofChain, reserved, openRedemptions });
        return holdings.map((holding) => [holderKey({ chain, ...holding }), holding]);
      } catch (error) {
        if (!(error instanceof MintrailError)) throw error;
        return ofChain.map((holder) => [holderKey(holder), error]);
      }
    }),
  );
  return new Map(results.flat());
}

/** The orders that have the ids of requests, by id. */
export async function readExisting(send: Send, requests: readonly RedemptionRequest[]): Promise<Map<string, ExistingOrder>> {
  const rows = await send(sql<ExistingRow>`
    select ${factColumns}, encode(orders.request_hash, 'hex') as request_hash, p.application as profile_application, p.owner as profile_owner,
      exists (select from signature_requests s where s.order_id = orders.id and s.state = 'pending') as awaits_signature
    from orders join profiles p on p.id = orders.profile
    where orders.id = any(${requests.map(({ draft }) => draft.id)}::uuid[])
  `);
  return new Map(
    rows.map(({ requestHash, profileApplication, profileOwner, awaitsSignature, ...order }) => [
      order.id,
      { order, requestHash, awaitsSignature, profile: { id: order.profile, application: profileApplication, owner: profileOwner } },
    ]),
  );
}

type ExistingRow = OrderFacts & {
  requestHash: string | null;
  profileApplication: string | null;
  profileOwner: string | null;
  awaitsSignature: boolean;
};
