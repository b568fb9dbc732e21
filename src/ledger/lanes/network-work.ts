import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import { type LegGroup, readyGroups } from './leg-groups.ts';
import { revertsAlone } from './lone-reverts.ts';

/** What the lanes of a network look after with each block besides what they send, and whether there is any of it. */
interface NetworkDuties {
  /** Lone reverts that nobody has looked into ({@link listUnexplainedReverts}), or legs that failed alone ({@link countFailingLegs}). */
  reverts: boolean;
  /** Waits of accounts that have not begun ({@link beginBackoffs}). */
  waits: boolean;
  /** Legs that are held ({@link releaseDueLegs}). */
  heldLegs: boolean;
}

/** The duties of a network, and the groups of {@link readyGroups}. */
export interface NetworkWork {
  duties: NetworkDuties;
  groups: LegGroup[];
}

/** Says which duties there are on a network, and what is ready. One statement, and an index lookup for each: mostly there is nothing. */
export async function readNetworkWork(ledger: Ledger, chain: Chain, currencies: readonly Currency[]): Promise<NetworkWork> {
  const { rows } = await sql<NetworkDuties & { groups: LegGroup[] }>`
    select
      (select true from leg_failures where outcome = 'reverted' and alone and reason is null order by id limit 1) is true
        or (select true from open_legs where chain = ${chain} and ${revertsAlone} limit 1) is true as reverts,
      (select true from account_backoffs where chain = ${chain} and until_block is null limit 1) is true as waits,
      (select true from open_legs where chain = ${chain} and claim_state = 'held' limit 1) is true as held_legs,
      (select coalesce(jsonb_agg(jsonb_build_object('kind', r.kind, 'currency', r.currency, 'signedBy', r.signed_by, 'isRetry', r.is_retry)), '[]')
        from (${readyGroups(chain, currencies)}) r) as groups
  `.execute(ledger);
  const [{ groups, ...duties }] = rows as [(typeof rows)[number]];
  return { duties, groups };
}
