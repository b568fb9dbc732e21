import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';

/** Every application, the oldest first, with its owner and whether its credentials are valid. */
export async function listApplications(ledger: Ledger) {
  return ledger
    .selectFrom('applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner')
    .leftJoin('profiles as p', 'p.id', 'u.defaultProfile')
    .orderBy('a.createdAt')
    .orderBy('a.id')
    .select(['a.id', 'a.kind', 'a.name', 'u.email as owner', 'a.createdAt', 'a.permissions', 'a.isConfidential', 'a.refreshNeedsSecret'])
    .select(['a.redirectUris', 'a.privacyPolicyUrl', 'a.termsUrl', 'a.origins'])
    .select(
      sql<'active' | 'waiting' | 'disabled'>`case when a.disabled_at is not null then 'disabled'
        when a.approved_at is not null or (a.kind = 'private' and p.state = 'approved') then 'active' else 'waiting' end`.as('state'),
    )
    .execute();
}
