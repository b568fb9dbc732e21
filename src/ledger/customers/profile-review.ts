import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { announceProfile, findProfile, lockProfile, type ProfileView } from './profile-sections.ts';

/** Why a section must be submitted again. `field` is `details`, `form` or a verification kind, perhaps followed by a field in it. */
export interface ReviewError {
  field: string;
  reason: string;
}

/** The decision of a review. A profile that is incomplete must be submitted again where `errors` says. */
export type Decision =
  | { decision: 'approved' }
  | { decision: 'rejected'; reason: string }
  | { decision: 'incomplete'; errors: [ReviewError, ...ReviewError[]] };

/** Who decides, and the correlation id of the request. */
export interface Reviewer {
  by: string;
  correlationId?: string | null;
}

/**
 * Decides a profile in review: `pending` -> `approved` | `rejected` | `incomplete`, with the sections, the record and the events
 * (docs/api.md, Profile states). `earlierReviews` are those that the reviewer saw: after a further one, something else may have been submitted. Throws
 * `not_found`, `profile_not_in_review`, `not_as_shown`, `unknown_section`.
 */
export async function decideProfile(
  ledger: Ledger,
  id: string,
  decision: Decision,
  { earlierReviews, ...reviewer }: Reviewer & { earlierReviews?: number },
): Promise<ProfileView> {
  return inTransaction(ledger, async (tx) => {
    const profile = await lockProfile(tx, id);
    if (!profile) throw new StopError({ code: 'not_found', message: `There is no profile ${id}: \`mintrail profile list\` lists them` });
    const moved = await tx
      .updateTable('profiles')
      .set({ state: decision.decision })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (moved.numUpdatedRows === 0n) throw notInReview(profile);
    if (earlierReviews !== undefined) await requireAsShown(tx, id, earlierReviews);
    if (decision.decision === 'incomplete') await reopen(tx, profile, decision.errors);
    else await endSections(tx, id, decision.decision);
    await record(tx, id, decision, reviewer);
    const decided = (await findProfile(tx, id)) as ProfileView;
    await announceProfile(tx, 'profile.updated', decided, reviewer.correlationId);
    if (decision.decision === 'incomplete')
      await announceProfile(tx, 'profile.error', errorData(profile, decision.errors), reviewer.correlationId);
    return decided;
  });
}

/** How often a profile was reviewed. */
export async function countReviews(ledger: Ledger, profile: string): Promise<number> {
  const { count } = await ledger
    .selectFrom('profileReviews')
    .where('profile', '=', profile)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** A profile in review takes no data: what was submitted is what was shown unless it was reviewed meanwhile. Throws `not_as_shown`. */
async function requireAsShown(tx: LedgerTransaction, profile: string, earlierReviews: number): Promise<void> {
  if ((await countReviews(tx, profile)) === earlierReviews) return;
  const message = `Somebody else has reviewed the profile ${profile} since it was shown, and other data may have been submitted. Look at it again`;
  throw new StopError({ code: 'not_as_shown', message });
}

function errorData({ id, kind }: ProfileView, errors: ReviewError[]) {
  return { id, kind, errors: errors.map(({ field, reason }) => ({ field, reason })) };
}

function notInReview({ id, state }: ProfileView): StopError {
  const message = `Only a profile in review can be decided: the profile ${id} is ${state}`;
  return new StopError({ code: 'profile_not_in_review', message });
}

async function endSections(tx: LedgerTransaction, profile: string, state: 'approved' | 'rejected'): Promise<void> {
  for (const table of ['profileSections', 'profileVerifications'] as const)
    await tx.updateTable(table).set({ state }).where('profile', '=', profile).where('state', '=', 'pending').execute();
}

/** The sections that the errors name become `incomplete`; the others keep their states. */
async function reopen(tx: LedgerTransaction, profile: ProfileView, errors: ReviewError[]): Promise<void> {
  for (const [index, { field }] of errors.entries()) {
    const [name = '', person] = field.replace(/^verifications\./, '').split('.');
    const open = { state: 'incomplete' as const };
    if (name === 'details' || name === 'form')
      await tx.updateTable('profileSections').set(open).where('profile', '=', profile.id).where('section', '=', name).execute();
    else {
      const named = profile.verifications.filter(({ kind, personId }) => kind === name && (person === undefined || personId === person));
      if (named.length === 0) throw unknownSection(index, field, profile);
      await tx
        .updateTable('profileVerifications')
        .set(open)
        .where('profile', '=', profile.id)
        .where('kind', '=', name)
        .where(
          'person',
          'in',
          named.map(({ personId }) => personId ?? ''),
        )
        .execute();
    }
  }
}

function unknownSection(index: number, field: string, { verifications }: ProfileView): StopError {
  const names = ['details', 'form', ...new Set(verifications.map(({ kind }) => kind))].join(', ');
  const text = `must begin with one of ${names}`;
  return new StopError({ code: 'unknown_section', message: `${field} ${text}`, fields: { [`errors.${index}.field`]: text } });
}

async function record(tx: LedgerTransaction, profile: string, decision: Decision, { by, correlationId }: Reviewer): Promise<void> {
  await tx
    .insertInto('profileReviews')
    .values({
      profile,
      decision: decision.decision,
      reason: decision.decision === 'rejected' ? decision.reason : null,
      errors: decision.decision === 'incomplete' ? JSON.stringify(decision.errors) : null,
      decidedBy: by,
      correlationId: correlationId ?? null,
    })
    .execute();
}

/** Whether the sandbox's provider or its review may have something to do. One statement: mostly they have not. */
export async function hasSimulatedWork(ledger: Ledger): Promise<boolean> {
  const { rows } = await sql<{ hasWork: boolean }>`
    select exists (select from profile_shares) or exists (select from profiles where state = 'pending') as has_work
  `.execute(ledger);
  return rows[0]?.hasWork === true;
}

/** A profile that the simulated review can decide, whether it rejects it, and the correlation id of its newest submission. */
interface SimulatedDecision {
  id: string;
  rejected: boolean;
  correlationId: string | null;
}

/** What the simulated review can decide, the oldest profiles first. */
async function simulatedDecisions(ledger: Ledger, limit: number): Promise<SimulatedDecision[]> {
  const { rows } = await sql<SimulatedDecision>`
    select p.id, p.correlation_id, 'reject' = any(n.names) as rejected
    from profiles p join profile_sections d on d.profile = p.id and d.section = 'details'
    cross join lateral (
      select array_agg(lower(trim(v #>> '{}'))) as names
      from (select jsonb_path_query(d.data, '$.**.lastName') union all select d.data -> 'name' where d.data ? 'name') n (v)
    ) n
    where p.state = 'pending' and d.data is not null and not 'review' = any(n.names)
    order by p.created_at limit ${limit}
  `.execute(ledger);
  return rows;
}

/** What the simulated review decided about a profile, and the correlation id of the newest submission. */
export interface ReviewedProfile {
  profile: string;
  decision: Decision['decision'];
  correlationId: string | null;
}

/**
 * The review of the sandbox. A profile in which a family name, or the company's name, is `Review` stays in review, one with `Reject` is
 * rejected, and any other is approved. Returns what it decided; a profile that was decided in the meantime is skipped.
 */
export async function reviewSimulated(ledger: Ledger, limit: number): Promise<ReviewedProfile[]> {
  const decided = [];
  for (const { id, rejected, correlationId } of await simulatedDecisions(ledger, limit)) {
    const decision: Decision = rejected ? { decision: 'rejected', reason: 'rejected by the simulated review' } : { decision: 'approved' };
    try {
      await decideProfile(ledger, id, decision, { by: 'simulated review', correlationId });
      decided.push({ profile: id, decision: decision.decision, correlationId });
    } catch (error) {
      if (!(error instanceof StopError && error.code === 'profile_not_in_review')) throw error;
    }
  }
  return decided;
}
