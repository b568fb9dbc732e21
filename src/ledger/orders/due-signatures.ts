import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';
import { isLinkedElsewhere } from './contested-links.ts';
import type { SignatureRequest } from './signature-requests.ts';

/** Which signatures of a network to list. */
export type SignatureSource = 'in request' | 'on chain';

/** Signatures that are checked at once: as many as one request to a node holds, so that a block costs the same however many wait. */
const mostAtOnce = 256;

/** The next pause is so much of a request's age: a second in the first minutes, and at most 36 minutes in the five days. */
const pauseShare = 1 / 200;

const conditions: Record<SignatureSource, ReturnType<typeof sql>> = {
  'in request': sql`signature <> '0x'`,
  'on chain': sql`signature = '0x'`,
};

/**
 * The signatures of a network that have no verdict and are due, at most 256. Of each profile the one that was looked at longest ago comes
 * first, then of each the second: whoever waits for thousands makes nobody else wait.
 */
export async function listDueSignatures(ledger: Ledger, chain: Chain, source: SignatureSource): Promise<SignatureRequest[]> {
  const { rows } = await sql<SignatureRequest>`
    select r.id, r.kind, r.address, r.draft ->> 'currency' as currency, r.digest, r.signature, r.created_at as "createdAt", r.correlation_id as "correlationId",
      r.public_id as "publicId", r.draft -> 'proof' ->> 'kind' as proof,
      r.kind = 'order' and not exists (
        select from address_links l join addresses a on a.address = l.address
        where l.address = r.address and l.chain = r.chain and a.profile = r.profile
      ) as "isOfLostAddress",
      ${isLinkedElsewhere} as "isLinkedElsewhere"
    from (
      select *, row_number() over (partition by profile order by check_at, id) as turn
      from signature_requests
      where chain = ${chain} and state = 'pending' and check_at <= now() and ${conditions[source]}
    ) r
    order by r.turn, r.check_at, r.id limit ${mostAtOnce}
  `.execute(ledger);
  return rows;
}

/** Whether any signature of a network is to be checked, and whether one is due, of whatever source: one index lookup, which mostly says that there is none. */
export async function awaitedSignatures(ledger: Ledger, chain: Chain): Promise<{ areAwaited: boolean; areDue: boolean }> {
  const { rows } = await sql<{ isDue: boolean }>`
    select check_at <= now() as is_due from signature_requests
    where chain = ${chain} and state = 'pending' and check_at is not null order by check_at limit 1
  `.execute(ledger);
  return { areAwaited: rows.length > 0, areDue: rows[0]?.isDue === true };
}

/** How long an account has to sign on chain (docs/api.md, Signatures). */
export const onChainDeadlineMs = 5 * 24 * 3_600 * 1_000;

/**
 * Puts off signatures that are not there yet: the older a request, the longer the pause, which does not pass over the end of the time that the
 * account has. What is contested waits on after it.
 */
export async function putOffSignatures(ledger: Ledger, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const deadline = sql`make_interval(secs => ${onChainDeadlineMs / 1_000})`;
  await sql`
    update signature_requests set check_at = least(
      now() + (now() - created_at) * ${pauseShare}::float8,
      case when now() < created_at + ${deadline} then created_at + ${deadline} end)
    where id = any(${[...ids]}::uuid[]) and state = 'pending'
  `.execute(ledger);
}
