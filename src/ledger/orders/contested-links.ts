import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { signatureQueue } from '../wake-ups.ts';

/*
 * The fixed sentence signed on chain names no profile. While several profiles wait for it at one address, the signature says nothing about
 * whose the address is: it links none of them, until an operator decides or one of them proves more (docs/api.md, Addresses).
 */

interface WaitingLink {
  kind: 'order' | 'linkAddress';
  profile: string;
  chain: Chain;
  address: LowerAddress;
  signature: string;
  draft: Record<string, unknown>;
}

/** SQL: the request waits for the fixed sentence on chain. */
const waitsForSentence = sql`kind = 'linkAddress' and signature = '0x' and coalesce(draft -> 'proof' ->> 'kind', 'sentence') = 'sentence'`;

/** Whether another profile waits for the same signature as this request. */
export async function isContested(ledger: Ledger, { kind, profile, chain, address, signature, draft }: WaitingLink): Promise<boolean> {
  const proof = draft['proof'] as { kind: string } | undefined;
  if (kind !== 'linkAddress' || signature !== '0x' || proof?.kind === 'message') return false;
  const { rows } = await sql`
    select from signature_requests
    where address = ${address} and chain = ${chain} and state = 'pending' and profile <> ${profile} and ${waitsForSentence} limit 1
  `.execute(ledger);
  return rows.length > 0;
}

/** An address for which several profiles wait. */
export interface ContestedLink {
  address: LowerAddress;
  chain: Chain;
  profiles: string[];
  since: Date;
}

/** The addresses for which several profiles wait and that none has proved by a linking message; at most `limit`, the oldest first. */
export async function contestedLinks(ledger: Ledger, limit: number): Promise<ContestedLink[]> {
  const { rows } = await sql<ContestedLink>`
    select address, chain, (array_agg(distinct profile::text))[1:20] as profiles, min(created_at) as since
    from signature_requests r
    where state = 'pending' and ${waitsForSentence}
      and not exists (select from address_links l where l.address = r.address and l.proof = 'message')
    group by address, chain having count(distinct profile) > 1
    order by min(created_at) limit ${limit}
  `.execute(ledger);
  return rows;
}

/**
 * An operator decides for one profile: the requests of all others for the address are invalid, and its own is looked at again. Returns how many
 * were turned down. Throws `address_not_contested` when the profile does not wait for the address.
 */
export async function decideContest(ledger: Ledger, address: LowerAddress, chain: Chain, profile: string): Promise<number> {
  return inTransaction(ledger, async (tx) => {
    const { rows } = await sql<{ profile: string; id: string }>`
      select profile, id from signature_requests
      where address = ${address} and chain = ${chain} and state = 'pending' and ${waitsForSentence} order by id for update
    `.execute(tx);
    if (!rows.some((row) => row.profile === profile))
      throw new StopError({
        code: 'address_not_contested',
        message: `The profile ${profile} does not wait for a signature of ${address} on ${chain}: it is not linked, and nothing is to be decided`,
      });
    const others = rows.filter((row) => row.profile !== profile).map(({ id }) => id);
    if (others.length > 0)
      await tx
        .updateTable('signatureRequests')
        .set({ state: 'invalid', reason: 'an operator decided for another profile', decidedAt: sql`now()` })
        .where('id', 'in', others)
        .execute();
    await tx
      .updateTable('signatureRequests')
      .set({ checkAt: sql`now()` })
      .where('address', '=', address)
      .where('state', '=', 'pending')
      .execute();
    tx.wakeUps.add(signatureQueue(chain));
    return others.length;
  });
}
