import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** What the lanes of a network look after with each block besides what they send, and whether there is any of it. */
export interface NetworkDuties {
  /** Lone reverts that nobody has looked into ({@link listUnexplainedReverts}), or legs that failed alone ({@link countFailingLegs}). */
  reverts: boolean;
  /** Waits of accounts that have not begun ({@link beginBackoffs}). */
  waits: boolean;
  /** Legs that are held ({@link releaseDueLegs}). */
  heldLegs: boolean;
}

/** Says which duties there are on a network. One statement, and an index lookup for each: mostly there are none. */
export async function readNetworkDuties(ledger: Ledger, chain: Chain): Promise<NetworkDuties> {
  const { rows } = await sql<NetworkDuties>`
    select
      (select true from leg_failures where outcome = 'reverted' and alone and reason is null order by id limit 1) is true
        or (select true from open_legs where chain = ${chain} and lone_reverts > 0 limit 1) is true as reverts,
      (select true from account_backoffs where chain = ${chain} and until_block is null limit 1) is true as waits,
      (select true from open_legs where chain = ${chain} and held_until is not null limit 1) is true as held_legs
  `.execute(ledger);
  return rows[0] ?? { reverts: true, waits: true, heldLegs: true };
}
