import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { distrustGrantsBy } from '../access/grants.ts';
import { lockUser } from '../access/users.ts';
import { signatureQueue } from '../wake-ups.ts';
import { announceIbans } from './ibans.ts';
import { betterProof, type LinkProof } from './link-proof.ts';
import type { LinkSource } from './link-source.ts';

/**
 * Takes an address from its profile, for an owner who has proved more (docs/api.md, Addresses). Every link of the profile must rest on a
 * lesser proof ({@link betterProof}), and be on the network for which the proof speaks: the account of a contract may have other owners elsewhere. By the
 * sentence on chain, which anybody may wait for, an approved profile takes it from one that is not: anybody can have as many of those as they like.
 * Throws `address_already_linked`.
 */
export async function takeOver(tx: LedgerTransaction, claim: Claim): Promise<void> {
  if (!takesOver(claim, await linksOf(tx, claim))) throw alreadyLinked();
  await unlink(tx, claim.address);
}

/** Whether a proof, if it holds, links an address to a profile: nobody else has it, or {@link takeOver} would take it from whoever has. */
export async function isWithinReach(ledger: Ledger, claim: Claim): Promise<boolean> {
  const links = await linksOf(ledger, claim);
  return links.every((link) => link.profile === claim.profile) || takesOver(claim, links);
}

function takesOver({ chain, proof }: Claim, links: Awaited<ReturnType<typeof linksOf>>): boolean {
  const isForAllChains = 'signer' in proof && proof.signer === 'key';
  return links.every(
    (link) =>
      (betterProof(link.proof, proof.kind) !== link.proof || (link.proof === 'sentence on chain' && link.yieldsToApproved)) &&
      (isForAllChains || link.chain === chain),
  );
}

async function linksOf(ledger: Ledger, { address, profile }: Claim) {
  return ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .where('l.address', '=', address)
    .select(['l.chain', 'l.proof', 'a.profile'])
    .select(sql<boolean>`${isApproved(sql`${profile}::uuid`)} and not ${isApproved(sql`a.profile`)}`.as('yieldsToApproved'))
    .execute();
}

function isApproved(id: ReturnType<typeof sql>) {
  return sql<boolean>`exists (select from profiles p where p.id = ${id} and p.state = 'approved')`;
}

/** A proof that an address belongs to another profile. */
interface Claim {
  profile: string;
  address: LowerAddress;
  chain: Chain;
  proof: LinkProof;
}

/**
 * An operator takes an address from a profile (`mintrail address release`): what its user's sign-ins by it have obtained ends too. Throws
 * `address_not_linked`.
 */
export async function releaseAddress(ledger: Ledger, address: LowerAddress, profile: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const user = (await tx.selectFrom('profiles').where('id', '=', profile).select('owner').executeTakeFirst())?.owner ?? undefined;
    if (user !== undefined) await lockUser(tx, user);
    const owner = await tx
      .selectFrom('addresses')
      .where('address', '=', address)
      .where('profile', '=', profile)
      .select('profile')
      .forUpdate()
      .executeTakeFirst();
    if (!owner)
      throw new StopError({ code: 'address_not_linked', message: `The address ${address} is not linked to the profile ${profile}` });
    await unlink(tx, address);
  });
}

/**
 * Releases every address that a user linked to their own profiles, and ends their links that wait for a signature: somebody else acted in the
 * name of the user. Links that an application of the user made for its customers stay.
 */
export async function releaseAddressesLinkedBy(tx: LedgerTransaction, user: string): Promise<void> {
  // Requests before addresses, in the order in which a verdict locks them.
  await sql`
    update signature_requests set state = 'invalid', reason = 'the account has passed to the owner of its e-mail address', decided_at = now()
    where kind = 'linkAddress' and state = 'pending' and profile in (select id from profiles where owner = ${user})
  `.execute(tx);
  const linked = await tx
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .innerJoin('profiles as p', 'p.id', 'a.profile')
    .where('p.owner', '=', user)
    .where('l.linkedBy', '=', user)
    .select('a.address')
    .distinct()
    .orderBy('a.address')
    .execute();
  for (const { address } of linked) await unlink(tx, address);
}

/**
 * Ends what sessions of a user on the hosted pages have left waiting for a signature: whoever knew the password may have asked for it. What an application has asked for
 * as well goes on as that alone.
 */
export async function endHostedRequests(tx: LedgerTransaction, user: string): Promise<void> {
  await sql`
    with hosted as (
      select r.id, (r.draft -> 'sources') - 'hosted pages' as others from signature_requests r join profiles p on p.id = r.profile
      where p.owner = ${user} and r.kind = 'linkAddress' and r.state = 'pending' and r.draft -> 'sources' @> '["hosted pages"]' for update of r
    )
    update signature_requests r set draft = jsonb_set(r.draft, '{sources}', others),
      state = case when others = '[]' then 'invalid' else r.state end,
      reason = case when others = '[]' then 'the access of whoever asked for it has ended' end,
      decided_at = case when others = '[]' then now() end
    from hosted where hosted.id = r.id
  `.execute(tx);
}

/** What `address_already_linked` says of an address, and a request that waited in vain. */
export const linkedElsewhere = 'already linked';

/** The error `address_already_linked`: the address belongs to another profile. */
export function alreadyLinked(): StopError {
  return new StopError({
    code: 'address_already_linked',
    message: 'Validation errors',
    fields: { address: linkedElsewhere },
    details: {
      address:
        'Another profile has linked it: if by the fixed sentence signed on chain, the owner takes it back by a signature of the sentence in a request; if by one in a request, by a linking message; otherwise the operator decides.',
    },
  });
}

/**
 * Ends all links of an address, with what its user has obtained by signing in with it. Payments to an IBAN that leads there wait for an operator or for the owner of the
 * IBAN, who is told: tokens for one profile must not go to another's address. Orders that wait for the account's signature are rejected by the network's
 * worker. Other orders go on: their tokens are already the account's, or go to the address that their profile had named while it was linked.
 */
async function unlink(tx: LedgerTransaction, address: LowerAddress): Promise<void> {
  const links = await tx.deleteFrom('addressLinks').where('address', '=', address).returning(['chain', 'proof']).execute();
  const { profile } = await tx.deleteFrom('addresses').where('address', '=', address).returning('profile').executeTakeFirstOrThrow();
  if (links.some(({ proof }) => proof !== 'sentence on chain'))
    await tx
      .insertInto('releasedAddresses')
      .values({ address, profile })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const { owner } = await tx.selectFrom('profiles').where('id', '=', profile).select('owner').executeTakeFirstOrThrow();
  if (owner !== null) await distrustGrantsBy(tx, owner, address);
  const ibans = tx.selectFrom('ibans').where('address', '=', address).where('profile', '=', profile).where('iban', 'is not', null);
  const ids = await ibans.select('id').execute();
  await announceIbans(
    tx,
    ids.map(({ id }) => id),
  );
  await lookAgain(tx, address, links);
}

/** Has the signatures looked at again that an address has yet to make: whose it is has changed. */
export async function lookAgain(tx: LedgerTransaction, address: LowerAddress, links: readonly { chain: Chain }[]): Promise<void> {
  // Rows that are being decided are passed over: waiting for them here could end in a deadlock.
  await sql`
    update signature_requests set check_at = now() where id = any(array(
      select id from signature_requests where address = ${address} and state = 'pending' for update skip locked))
  `.execute(tx);
  tx.wakeUps.add(...links.map(({ chain }) => signatureQueue(chain)));
}

/**
 * Ends what a profile has waiting for the sentence on chain of an address that it has linked by more: the account of a key would never sign there. Returns the
 * sources of each, which are the link's too.
 */
export async function endNeedlessRequests(
  tx: LedgerTransaction,
  { profile, address, chain }: { profile: string; address: LowerAddress; chain: Chain },
): Promise<LinkSource[][]> {
  const { rows } = await sql<{ sources: LinkSource[] }>`
    update signature_requests set state = 'valid', decided_at = now() where id = any(array(
      select id from signature_requests
      where profile = ${profile} and address = ${address} and chain = ${chain} and state = 'pending' and kind = 'linkAddress' and signature = '0x'
        and draft -> 'proof' ->> 'kind' is distinct from 'message' for update skip locked))
    returning coalesce(draft -> 'sources', '[]') as sources
  `.execute(tx);
  return rows.map(({ sources }) => sources);
}
