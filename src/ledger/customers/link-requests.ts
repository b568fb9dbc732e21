import type { AddressLink, NewLink } from './addresses.ts';
import type { Ledger } from '../ledger.ts';
import { signatureQueue } from '../queues.ts';

/** The pending request to link an address by a contract's signature: asking again makes no second one, and has it checked at once. */
export async function findLinkRequest(ledger: Ledger, link: NewLink, signature: string): Promise<string | undefined> {
  const request = await ledger
    .selectFrom('signatureRequests')
    .where('profile', '=', link.profile)
    .where('state', '=', 'pending')
    .where('kind', '=', 'linkAddress')
    .where('chain', '=', link.chain)
    .where('address', '=', link.address)
    .where('signature', '=', signature)
    .select('id')
    .executeTakeFirst();
  if (request) ledger.wakeUps.add(signatureQueue(link.chain));
  return request?.id;
}

/** The link of an address to a profile on a chain, with all chains on which the profile has linked it. */
export async function findLink(ledger: Ledger, { profile, address, chain }: NewLink): Promise<AddressLink | undefined> {
  const links = await ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .where('a.profile', '=', profile)
    .where('a.address', '=', address)
    .orderBy('l.linkedAt')
    .orderBy('l.chain')
    .select(['l.chain', 'l.linkedBy', 'l.linkedAt'])
    .execute();
  const found = links.find((link) => link.chain === chain);
  return found && { profile, address, chains: links.map((link) => link.chain), linkedBy: found.linkedBy, linkedAt: found.linkedAt };
}
