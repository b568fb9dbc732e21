import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { AuthMethod } from '../../schema/column-types.ts';

/** Lifetime of an access token. */
export const accessTokenSeconds = 3_600;

/** What a sign-in of a user gives to an application, or its secret to the application of an owner. */
export interface NewGrant {
  application: string;
  user: string;
  /** How the user proved who they are; left out where the application acts by its own secret. */
  proof?: Proof;
}

/** How a user proved who they are: the email address of a password, or the address that signed, and of a contract its chain. */
export interface Proof {
  method: AuthMethod;
  subject: string;
  chain?: Chain | undefined;
}

/** Makes a grant, to which codes and tokens can belong. Returns its id. */
export async function createGrant(tx: LedgerTransaction, { application, user, proof }: NewGrant): Promise<string> {
  const id = randomUUID();
  const { method = null, subject = null, chain = null } = proof ?? {};
  await tx
    .insertInto('grants')
    .values({ id, application, userId: user, authMethod: method, authSubject: subject, authChain: chain })
    .execute();
  await clearGrants(tx);
  return id;
}

/** SQL: whether a link, of the table `l`, was made on the hosted pages or through a grant that is not distrusted. */
export const isTrusted = sql<boolean>`(l.on_hosted_pages or exists (
  select from grants s where s.id = any(l.linked_through) and s.distrusted_at is null))`;

/** SQL: whether the grant `g` was signed in to by the account of a link, `l` with its owner: by a key, or by the contract on the chain of the link. */
const isSignedInBy = sql`g.user_id = l.owner and g.auth_method = 'resource' and lower(g.auth_subject) = l.address
  and (g.auth_chain is null or g.auth_chain = l.chain)`;

/**
 * SQL: of these grants, in their order, those that are trusted and were not signed in to by the link itself, of the table `l` with the profile `p`; the first `most`.
 */
export function trustedSources(ids: RawBuilder<unknown>, most: number): RawBuilder<string[]> {
  return sql`(array(
    select g.id from unnest(${ids}) with ordinality as known (id, position) join grants g on g.id = known.id
    where g.distrusted_at is null and (g.auth_method is distinct from 'resource' or g.user_id <> p.owner or lower(g.auth_subject) <> l.address or g.auth_chain <> l.chain)
    group by g.id order by min(known.position)))[1:${sql.lit(most)}]`;
}

/** Ends grants: their code and tokens work no more. What was linked through them stays as it is, as after a sign-out. `which` is a condition on `g`. */
export async function endGrants(tx: LedgerTransaction, which: RawBuilder<unknown>): Promise<void> {
  await sql`update grants g set ended_at = now() where ${which} and g.ended_at is null`.execute(tx);
}

/**
 * Ends grants, and what was linked through them alone signs nobody in any more, now or once a waiting request is decided; nor do the grants stay that were obtained by
 * signing in with such a link, and so on. `which` is a condition on `g`. Whoever derives something from a grant locks it for share meanwhile, so this
 * waits, and then finds it.
 */
export async function distrustGrants(tx: LedgerTransaction, which: RawBuilder<unknown>): Promise<void> {
  const all: string[] = [];
  for (let distrusted = await distrust(tx, which); distrusted.length > 0;) {
    all.push(...distrusted);
    distrusted = await distrust(tx, sql`g.id in (${grantsWithoutLink(distrusted)})`);
  }
  if (all.length === 0) return;
  await sql`
    insert into audit_log (actor_kind, actor, action, subject_kind, subject, detail)
    select 'system', 'mintrail', 'address.end-sign-in', 'address', l.address, jsonb_build_object('chain', l.chain)
    from address_links l where l.linked_through && ${all}::uuid[] and not ${isTrusted}
  `.execute(tx);
}

/**
 * SQL: the grants of users, some of whose links were made through grants that are distrusted, which were signed in to by an account that is linked by nothing else. What it
 * is linked by is followed to where it began: two accounts, each linked through a sign-in by the other, do not hold each other up.
 */
function grantsWithoutLink(distrusted: readonly string[]): RawBuilder<unknown> {
  return sql`
    with recursive links as materialized (
      select p.owner, l.address, l.chain, l.on_hosted_pages, l.linked_through
      from profiles p join addresses a on a.profile = p.id join address_links l on l.address = a.address
      where p.owner in (
        select p.owner from address_links l join addresses a on a.address = l.address join profiles p on p.id = a.profile
        where l.linked_through && ${distrusted}::uuid[])
    ), trusted as (
      select l.owner, l.address, l.chain from links l
      where l.on_hosted_pages or exists (
        select from grants g where g.id = any(l.linked_through) and g.distrusted_at is null
          and (g.auth_method is distinct from 'resource' or g.user_id <> l.owner))
      union
      select made.owner, made.address, made.chain
      from trusted l join grants g on ${isSignedInBy} and g.distrusted_at is null
      join links made on made.owner = l.owner and made.linked_through && array[g.id]
    )
    select g.id from links l join grants g on ${isSignedInBy} and g.distrusted_at is null
    where not exists (select from trusted l where ${isSignedInBy})`;
}

async function distrust(tx: LedgerTransaction, which: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update grants g set distrusted_at = now(), ended_at = coalesce(g.ended_at, now()) where ${which} and g.distrusted_at is null returning g.id
  `.execute(tx);
  return rows.map(({ id }) => id);
}

/** Distrusts what was signed in to by an account that its user has no more: linked again, it makes new grants. */
export async function distrustGrantsBy(tx: LedgerTransaction, user: string, address: LowerAddress): Promise<void> {
  await distrustGrants(tx, sql`g.user_id = ${user} and g.auth_method = 'resource' and lower(g.auth_subject) = ${address}`);
}

/**
 * Distrusts grants of an application, of whatever users. They are locked first, as by whoever changes what one of them signs in with. `which` is a
 * further condition on `g`.
 */
export async function distrustGrantsOf(tx: LedgerTransaction, application: string, which = sql`true`): Promise<void> {
  const ofApplication = sql`g.application = ${application} and ${which}`;
  await sql`
    select from users where id in (
      select g.user_id from grants g where ${ofApplication} and g.distrusted_at is null
      union
      select p.owner from grants g join address_links l on l.linked_through && array[g.id] join addresses a on a.address = l.address join profiles p on p.id = a.profile
      where ${ofApplication} and g.distrusted_at is null)
    order by id for no key update
  `.execute(tx);
  await distrustGrants(tx, ofApplication);
}

/** Keeps the links of an address, and the grants through which they were made, as they are until the transaction ends. */
export async function keepLinks(tx: LedgerTransaction, address: LowerAddress): Promise<void> {
  await sql`
    with links as (select linked_through from address_links where address = ${address} for share)
    select from grants where id in (select unnest(linked_through) from links) order by id for share
  `.execute(tx);
}

/** Grants that are looked at in one call: more than its caller adds. */
const grantsPerCall = 20;

/** Deletes grants to which nothing refers any more, a few at a time; the others are looked at again a month later. */
async function clearGrants(ledger: Ledger): Promise<void> {
  await sql`
    with due as materialized (
      select id from grants where kept_until < now() order by kept_until limit ${grantsPerCall} for update skip locked
    ), needed as (
      update grants g set kept_until = now() + interval '31 days' from due
      where g.id = due.id and (
        exists (select from access_tokens t where t.grant_id = g.id) or exists (select from refresh_tokens t where t.grant_id = g.id)
        or exists (select from authorization_codes c where c.grant_id = g.id)
        or exists (select from address_links l where l.linked_through && array[g.id]))
      returning g.id
    )
    delete from grants where id in (select id from due except select id from needed)
  `.execute(ledger);
}
