import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Caller, profilesOf } from '../access/permissions.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { requireWithinQuota } from '../quotas.ts';
import { type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import { betterProof, type LinkProof, useNonce } from './link-proof.ts';
import { addSources, type LinkSource } from './link-source.ts';
import { endNeedlessRequests, lookAgain, takeOver } from './release-address.ts';

/** A linked address (docs/api.md, Addresses). */
export interface LinkedAddress {
  profile: string;
  address: LowerAddress;
  chains: Chain[];
}

/** A linked address, with who linked it and when, and what the link rests on. */
export interface AddressLink extends LinkedAddress {
  linkedBy: string;
  linkedAt: Date;
  proof: LinkProof['kind'];
}

/** An address to be linked to a profile on one chain. */
export interface NewLink {
  profile: string;
  address: LowerAddress;
  chain: Chain;
  /** The user in whose name it is linked. */
  user: string;
  /** The fixed sentence, signed by a contract, when left out. */
  proof?: LinkProof;
  /** How it came about. A link without a source, or whose grants are all distrusted, signs nobody in. */
  sources?: readonly LinkSource[];
}

/**
 * Links an address to a profile on a chain (docs/api.md, Addresses). Linking again returns the first link, and changes nothing except that a
 * better proof replaces a lesser one, and new sources are added. Throws `address_already_linked` when the address belongs to another profile, unless {@link takeOver}
 * ends that. Of two profiles that link an address at the same time, the first to write gets it. Throws `message_already_used`, and
 * `quota_exceeded` for one address too many.
 */
export async function linkAddress(ledger: Ledger, link: NewLink): Promise<AddressLink> {
  const { profile, address, chain, user, proof = { kind: 'sentence', signer: 'contract' }, sources = [] } = link;
  return inTransaction(ledger, async (tx) => {
    const owner = await takeFreeAddress(tx, address, profile);
    if (owner !== profile) {
      await takeOver(tx, { profile, address, chain, proof });
      await takeFreeAddress(tx, address, profile);
    }
    const known = await findLink(tx, link);
    const better = betterProof(proof.kind, known?.proof);
    if (known?.proof === better) {
      await addSources(tx, { profile, address, chain, sources });
      return known;
    }
    await useNonce(tx, address, proof);
    await tx
      .insertInto('addressLinks')
      .values({ address, chain, linkedBy: user, proof: proof.kind })
      .onConflict((conflict) => conflict.columns(['address', 'chain']).doUpdateSet({ proof: better }))
      .execute();
    await addSources(tx, { profile, address, chain, sources });
    if (proof.kind !== 'sentence on chain') {
      for (const needless of await endNeedlessRequests(tx, link)) await addSources(tx, { profile, address, chain, sources: needless });
      // Whoever else waits for the account's sentence waits in vain now.
      await lookAgain(tx, address, [link]);
    }
    return (await findLink(tx, link)) as AddressLink;
  });
}

/** Gives an address that is nobody's to a profile. Returns the profile that has it. Throws `quota_exceeded`. */
async function takeFreeAddress(tx: LedgerTransaction, address: LowerAddress, profile: string): Promise<string> {
  // The update changes nothing: it makes the statement wait for a concurrent insert and return the profile that this one wrote.
  const owner = await tx
    .insertInto('addresses')
    .values({ address, profile })
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ profile: sql`addresses.profile` }))
    // PostgreSQL has set xmax on a row that was there before, and not on a new one.
    .returning(['profile', sql<boolean>`xmax = 0`.as('isNew')])
    .executeTakeFirstOrThrow();
  if (owner.isNew) await requireWithinQuota(tx, 'addresses', profile);
  return owner.profile;
}

const byFirstLink: Sort = { at: 'linked.first', cursor: 'linked.address', direction: 'asc', cursorMeaning: 'an address of this profile' };

/**
 * Addresses of a profile, in the order of their first link; with `chain`, only those linked on it. The cursor is an address.
 * Throws `unknown_cursor`.
 */
export async function listAddresses(ledger: Ledger, profile: string, chain?: Chain, page: PageRequest = {}): Promise<Page<LinkedAddress>> {
  const ofProfile = selectAddresses(ledger)
    .where('a.profile', '=', profile)
    .select(sql<Date>`min(l.linked_at)`.as('first'));
  const onChain = ofProfile.$if(chain !== undefined, (query) => query.having(sql<boolean>`${chain} = any(array_agg(l.chain))`));
  const matching = ledger.selectFrom(onChain.as('linked')).select(['linked.profile', 'linked.address', 'linked.chains']);
  return readPage<LinkedAddress>(
    ledger,
    { matching: [matching], known: ledger.selectFrom(ofProfile.as('linked')), sort: byFirstLink },
    page,
  );
}

/** An address of one of the caller's profiles; with `chain`, only when it is linked there. */
export async function findAddress(
  ledger: Ledger,
  caller: Caller,
  address: LowerAddress,
  chain?: Chain,
): Promise<LinkedAddress | undefined> {
  return selectAddresses(ledger)
    .where('a.address', '=', address)
    .where('a.profile', 'in', profilesOf(ledger, caller))
    .$if(chain !== undefined, (query) => query.having(sql<boolean>`${chain} = any(array_agg(l.chain))`))
    .executeTakeFirst();
}

/** The link of an address to a profile on a chain, with all chains on which the profile has linked it. */
export async function findLink(
  ledger: Ledger,
  { profile, address, chain }: Pick<NewLink, 'profile' | 'address' | 'chain'>,
): Promise<AddressLink | undefined> {
  const links = await ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .where('a.profile', '=', profile)
    .where('a.address', '=', address)
    .orderBy('l.linkedAt')
    .orderBy('l.chain')
    .select(['l.chain', 'l.linkedBy', 'l.linkedAt', 'l.proof'])
    .execute();
  const link = links.find((row) => row.chain === chain);
  if (!link) return undefined;
  const { linkedBy, linkedAt, proof } = link;
  return { profile, address, chains: links.map((row) => row.chain), linkedBy, linkedAt, proof };
}

function selectAddresses(ledger: Ledger) {
  return ledger
    .selectFrom('addresses as a')
    .innerJoin('addressLinks as l', 'l.address', 'a.address')
    .groupBy(['a.address', 'a.profile'])
    .select(['a.profile', 'a.address', sql<Chain[]>`array_agg(l.chain order by l.linked_at, l.chain)`.as('chains')]);
}
