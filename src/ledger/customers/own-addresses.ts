import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { lockUser } from '../access/users.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { LinkedAddress } from './addresses.ts';
import { releaseAddress } from './release-address.ts';

/** Rows of {@link listOwnAddresses} at most. */
export const maxOwnAddresses = 200;

/** The linked addresses of all profiles of a user, the latest first. */
export async function listOwnAddresses(ledger: Ledger, user: string): Promise<LinkedAddress[]> {
  return ledger
    .selectFrom('addresses as a')
    .innerJoin('addressLinks as l', 'l.address', 'a.address')
    .innerJoin('profiles as p', 'p.id', 'a.profile')
    .where('p.owner', '=', user)
    .groupBy(['a.address', 'a.profile'])
    .select(['a.profile', 'a.address', sql<Chain[]>`array_agg(l.chain order by l.linked_at, l.chain)`.as('chains')])
    .orderBy(sql`max(l.linked_at)`, 'desc')
    .limit(maxOwnAddresses)
    .execute();
}

/** Takes an address from the profile of a user, as {@link releaseAddress} does. Returns whether the user had it. */
export async function releaseOwnAddress(ledger: Ledger, address: LowerAddress, user: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    await lockUser(tx, user);
    const linked = await tx
      .selectFrom('addresses as a')
      .innerJoin('profiles as p', 'p.id', 'a.profile')
      .where('a.address', '=', address)
      .where('p.owner', '=', user)
      .select('a.profile')
      .forUpdate('a')
      .executeTakeFirst();
    if (linked) await releaseAddress(tx, address, linked.profile);
    return linked !== undefined;
  });
}
