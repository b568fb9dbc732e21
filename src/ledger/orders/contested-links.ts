import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { signatureQueue } from '../wake-ups.ts';

/*
 * The fixed sentence signed on chain names no profile. While several approved profiles wait for it at one address, the signature says nothing about
 * whose the address is: it links none of them, until one is linked by anything else or an operator decides (docs/api.md, Signatures). Then the
 * requests of the others end ({@link isLinkedElsewhere}). Profiles that nobody has approved hold up nobody, since anybody can have as many as they like.
 */

/** SQL: the request `r` waits for the fixed sentence on chain. */
const waitsForSentence = sql`r.kind = 'linkAddress' and r.state = 'pending' and r.signature = '0x' and r.draft -> 'proof' ->> 'kind' is distinct from 'message'`;

/** SQL: profiles for which the address of the request `r` is linked by more than the signature that is waited for. */
const provedFor = sql`select a.profile from address_links l join addresses a on a.address = l.address where l.address = r.address and l.proof <> 'sentence on chain'`;

/** SQL: whether the request `r` waits for the sentence in vain, because its address was proved for another profile. */
export const isLinkedElsewhere = sql<boolean>`(${waitsForSentence} and exists (${provedFor} and a.profile <> r.profile))`;

/** SQL: whether another approved profile waits for the same signature as the request `r`. */
export const isContested = sql<boolean>`(${waitsForSentence} and not exists (${provedFor}) and exists (
  select from signature_requests o join profiles p on p.id = o.profile
  where o.address = r.address and o.chain = r.chain and o.state = 'pending' and o.kind = 'linkAddress' and o.signature = '0x'
    and o.draft -> 'proof' ->> 'kind' is distinct from 'message' and o.profile <> r.profile and p.state = 'approved'))`;

/** Whether another approved profile waits for the same signature as a request. */
export async function isContestedLink(ledger: Ledger, id: string): Promise<boolean> {
  const { rows } = await sql`select from signature_requests r where r.id = ${id} and ${isContested}`.execute(ledger);
  return rows.length > 0;
}

/** Notes that a request is kept from being linked. */
export async function markContested(tx: LedgerTransaction, id: string): Promise<void> {
  await sql`update signature_requests set contested_since = now() where id = ${id} and contested_since is null`.execute(tx);
}

/** An address for which several profiles wait. */
export interface ContestedLink {
  address: LowerAddress;
  chain: Chain;
  profiles: string[];
  /** When the account was first seen to have signed. */
  since: Date;
}

/**
 * The addresses for which several approved profiles wait, none of which has proved more, and whose account has signed: otherwise nobody is kept from
 * anything yet, and any two customers could have an operator called. At most `limit`, the oldest first.
 */
export async function contestedLinks(ledger: Ledger, limit: number): Promise<ContestedLink[]> {
  const { rows } = await sql<ContestedLink>`
    select r.address, r.chain, (array_agg(distinct r.profile::text))[1:20] as profiles, min(r.contested_since) as since
    from signature_requests r join profiles p on p.id = r.profile
    where p.state = 'approved' and ${waitsForSentence} and not exists (${provedFor})
    group by r.address, r.chain having count(distinct r.profile) > 1 and min(r.contested_since) is not null
    order by since limit ${limit}
  `.execute(ledger);
  return rows;
}

/**
 * An operator decides for one profile: the requests of all others for the address are invalid, and its own is looked at again. Returns how many
 * were turned down. Throws `not_possible` when the profile does not wait for the address, or nobody else does.
 */
export async function decideContest(ledger: Ledger, address: LowerAddress, chain: Chain, profile: string): Promise<number> {
  return inTransaction(ledger, async (tx) => {
    const { rows } = await sql<{ profile: string; id: string }>`
      select r.profile, r.id from signature_requests r
      where r.address = ${address} and r.chain = ${chain} and ${waitsForSentence} order by r.id for update
    `.execute(tx);
    if (!rows.some((row) => row.profile === profile))
      throw new StopError({
        code: 'not_possible',
        message: `The profile ${profile} does not wait for a signature of ${address} on ${chain}: it is not linked, and nothing is to be decided`,
      });
    const others = rows.filter((row) => row.profile !== profile).map(({ id }) => id);
    if (others.length === 0) throw nobodyElse(address, chain);
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

/** That a profile waits for an address alone, so that nobody is to be turned down. */
export function nobodyElse(address: LowerAddress, chain: string): StopError {
  return new StopError({
    code: 'not_possible',
    message: `No other profile waits for a signature of ${address} on ${chain}: nothing is to be decided`,
  });
}
