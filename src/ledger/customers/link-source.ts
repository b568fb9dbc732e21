import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { trustedSources } from '../access/grants.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** How a link came about: on the hosted pages, where the user had proved who they are, or through the grant of an application (docs/api.md, Wallet sign-in). */
export type LinkSource = 'hosted pages' | { grant: string };

/**
 * Sources of a link, or of a request for one, that are kept: the first that are trusted. More than applications let a user link the same address by. A later one never takes
 * the place of one that is trusted: whoever signs in by a link could push out the grant from which it comes.
 */
const mostSources = 16;

interface SourcesOfLink {
  profile: string;
  address: LowerAddress;
  chain: Chain;
  sources: readonly LinkSource[];
}

/**
 * Adds sources to the link of an address to a profile, but no grant that was signed in to by the link itself. Does nothing without such a link, or when it has
 * them.
 */
export async function addSources(tx: LedgerTransaction, { profile, address, chain, sources }: SourcesOfLink): Promise<void> {
  const grants = sources.flatMap((source) => (source === 'hosted pages' ? [] : [source.grant]));
  const isHosted = sources.includes('hosted pages');
  const kept = trustedSources(sql`l.linked_through || ${grants}::uuid[]`, mostSources);
  await sql`
    update address_links l set on_hosted_pages = l.on_hosted_pages or ${isHosted}, linked_through = ${kept}
    from addresses a join profiles p on p.id = a.profile
    where a.address = l.address and a.profile = ${profile} and l.address = ${address} and l.chain = ${chain}
      and (${isHosted} and not l.on_hosted_pages or not l.linked_through @> ${kept})
  `.execute(tx);
}

/** SQL: the draft of a link that waits for a signature, with these sources too. */
export function withSources(sources: readonly LinkSource[]) {
  return sql<string>`jsonb_set(draft, '{sources}', (
    select coalesce(jsonb_agg(source order by position), '[]') from (
      select source, min(position) as position
      from jsonb_array_elements(coalesce(draft -> 'sources', '[]') || ${JSON.stringify(sources)}::jsonb) with ordinality as known (source, position)
      group by source order by min(position) limit ${sql.lit(mostSources)}) first))`;
}
