import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { personVerifications } from './kyc-enumerations.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { announceProfile, findProfile, lockProfile, type ProfileView } from './profile-sections.ts';
import type { VerificationDocument } from '../../schema/column-types.ts';

/** The documents that are submitted for one verification. */
export interface VerificationUpdate {
  kind: string;
  /** The person, of those in a company's details, who is verified. */
  personId?: string | undefined;
  documents: VerificationDocument[];
}

/** What a partner submits for one section of a profile. */
export type Submission =
  | { section: 'details'; data: object; name: string; persons?: string[] }
  | { section: 'form'; data: object }
  | { section: 'verifications'; updates: VerificationUpdate[] };

/**
 * Stores a section of a profile, in place of an earlier submission. With the last missing section the profile goes into review
 * (docs/api.md, Profile states). Throws `profile_approved`, `profile_in_review`, `profile_rejected`, `unknown_person`.
 */
export async function submitSection(ledger: Ledger, profile: string, submission: Submission, correlationId: string): Promise<ProfileView> {
  return inTransaction(ledger, async (tx) => {
    const before = await lockProfile(tx, profile);
    if (!before) throw new Error(`profile ${profile} is gone`);
    requireOpen(before);
    if (submission.section === 'verifications') await writeVerifications(tx, before, submission.updates);
    else await writeSection(tx, profile, submission.section, submission.data);
    if (submission.section === 'details') {
      await tx.updateTable('profiles').set({ name: submission.name }).where('id', '=', profile).execute();
      await requirePersons(tx, profile, submission.persons ?? []);
    }
    return advance(tx, before, correlationId);
  });
}

/** A profile takes data until it is in review (docs/api.md, Profile states). */
function requireOpen({ state }: Pick<ProfileView, 'state'>): void {
  if (state === 'created' || state === 'incomplete') return;
  const messages = {
    // Clients of this API family know this text, whichever section they send.
    approved: {
      code: 'profile_approved',
      message: 'The profile details have already been approved and need not be submitted again',
    },
    pending: { code: 'profile_in_review', message: 'The profile is in review: nothing more can be submitted until it is decided' },
    rejected: { code: 'profile_rejected', message: 'The profile was rejected: nothing more can be submitted' },
  } as const;
  throw new StopError(messages[state]);
}

/**
 * Updates a locked profile after a submission: `created` or `incomplete` -> `incomplete`, or `pending` once nothing is missing. Records an
 * event when any state of it changed.
 */
export async function advance(tx: LedgerTransaction, before: ProfileView, correlationId: string | null): Promise<ProfileView> {
  await sql`
    update profiles p set state = case when
      exists (select from profile_sections where profile = p.id and state = 'incomplete')
      or exists (select from profile_verifications where profile = p.id and state = 'incomplete') then 'incomplete' else 'pending' end,
      correlation_id = ${correlationId}
    where p.id = ${before.id} and p.state in ('created', 'incomplete')
  `.execute(tx);
  const after = (await findProfile(tx, before.id)) as ProfileView;
  if (statesOf(after) !== statesOf(before)) await announceProfile(tx, 'profile.updated', after, correlationId);
  return after;
}

function statesOf({ state, details, form, verifications }: ProfileView): string {
  return JSON.stringify([state, details, form, verifications]);
}

/** Stores the data of a section, in place of a draft; it becomes `pending`. */
export async function writeSection(tx: LedgerTransaction, profile: string, section: 'details' | 'form', data: object): Promise<void> {
  const submitted = { state: 'pending' as const, data: JSON.stringify(data), draft: null, updatedAt: sql<Date>`now()` };
  await tx
    .insertInto('profileSections')
    .values({ profile, section, ...submitted })
    .onConflict((conflict) => conflict.columns(['profile', 'section']).doUpdateSet(submitted))
    .execute();
}

async function writeVerifications(tx: LedgerTransaction, { id, verifications }: ProfileView, updates: VerificationUpdate[]): Promise<void> {
  const isNeeded = ({ kind, personId }: VerificationUpdate) =>
    verifications.some((known) => known.kind === kind && (known.personId === undefined || known.personId === personId));
  const unknown = updates.flatMap((update, index) => (isNeeded(update) ? [] : [index]));
  if (unknown.length > 0)
    throw new StopError({
      code: 'unknown_person',
      message: 'Validation errors',
      fields: Object.fromEntries(
        unknown.map((index) => [`corporate.${index}.personId`, 'is nobody of the details: send those first; the profile lists the ids']),
      ),
    });
  for (const { kind, personId, documents } of updates)
    await tx
      .updateTable('profileVerifications')
      .set({ state: 'pending', documents: JSON.stringify(documents), updatedAt: sql<Date>`now()` })
      .where('profile', '=', id)
      .where('kind', '=', kind)
      .where('person', 'in', ['', ...(personId === undefined ? [] : [personId])])
      .execute();
}

/** Requires verifications of each person in a company's details, and no longer those of persons who were taken out. */
async function requirePersons(tx: LedgerTransaction, profile: string, persons: string[]): Promise<void> {
  await tx
    .deleteFrom('profileVerifications')
    .where('profile', '=', profile)
    .where('person', 'not in', ['', ...persons])
    .execute();
  const rows = persons.flatMap((person) => personVerifications.map((kind) => ({ profile, kind, person, state: 'incomplete' as const })));
  if (rows.length === 0) return;
  await tx
    .insertInto('profileVerifications')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['profile', 'kind', 'person']).doNothing())
    .execute();
}
