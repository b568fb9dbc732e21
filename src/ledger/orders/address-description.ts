import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { LinkProof } from '../customers/link-proof.ts';
import type { Ledger } from '../ledger.ts';

/** To whom an address is linked, and who waits for its signature (`mintrail address show`). */
export interface AddressDescription {
  links: { chain: Chain; profile: string; proof: LinkProof['kind']; linkedBy: string; linkedAt: Date }[];
  /** The oldest first. */
  waiting: { chain: Chain; profile: string; proof: LinkProof['kind']; since: Date }[];
}

/** Waiting requests that are shown. */
const mostWaiting = 200;

/** Reads the links of an address and the requests that wait for its signature to link it. */
export async function describeAddress(ledger: Ledger, address: LowerAddress): Promise<AddressDescription> {
  const links = await ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .where('l.address', '=', address)
    .orderBy('l.linkedAt')
    .select(['l.chain', 'a.profile', 'l.proof', 'l.linkedBy', 'l.linkedAt'])
    .execute();
  const waiting = await ledger
    .selectFrom('signatureRequests')
    .where('address', '=', address)
    .where('state', '=', 'pending')
    .where('kind', '=', 'linkAddress')
    .orderBy('createdAt')
    .limit(mostWaiting)
    .select(['chain', 'profile', 'createdAt as since'])
    .select(sql<LinkProof['kind']>`coalesce(draft -> 'proof' ->> 'kind', 'sentence')`.as('proof'))
    .execute();
  return { links, waiting };
}
