import type { ProfileKind } from '../../schema/states.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { announceProfile, findProfile, lockProfile, openSections, type ProfileView } from './profile-sections.ts';

/**
 * Changes what a user has entered of a company's details so far: their draft, or else what they submitted before. `change` is given these
 * data and returns the new draft. Drafts of a profile are changed one after the other. Does nothing once the profile takes no more data.
 */
export async function changeDraft(ledger: Ledger, profile: string, change: (current: Record<string, unknown>) => object): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const locked = await lockProfile(tx, profile);
    if (!locked || !isOpen(locked)) return;
    const draft = JSON.stringify(change(await readDraft(tx, profile)));
    await tx.updateTable('profileSections').set({ draft }).where('profile', '=', profile).where('section', '=', 'details').execute();
  });
}

/** What a user has entered of the details so far: their draft, or else what they submitted before. Personal data, for the user alone. */
export async function readDraft(ledger: Ledger, profile: string): Promise<Record<string, unknown>> {
  const row = await findSection(ledger, profile, 'details');
  return row?.draft ?? row?.data ?? {};
}

/** The data that were submitted for a section; empty when there are none. Personal data, for the user alone. */
export async function readSection(ledger: Ledger, profile: string, section: 'details' | 'form'): Promise<Record<string, unknown>> {
  return (await findSection(ledger, profile, section))?.data ?? {};
}

async function findSection(ledger: Ledger, profile: string, section: 'details' | 'form') {
  return ledger
    .selectFrom('profileSections')
    .where('profile', '=', profile)
    .where('section', '=', section)
    .select(['data', 'draft'])
    .executeTakeFirst();
}

/** Whether a profile takes data (docs/api.md, Profile states). */
export function isOpen({ state }: Pick<ProfileView, 'state'>): boolean {
  return state === 'created' || state === 'incomplete';
}

/**
 * Makes a profile personal or corporate, as its user chooses before anything was submitted. Its verifications become those of the new kind,
 * and a draft is deleted. Returns false, and changes nothing, once something was submitted.
 */
export async function chooseProfileKind(ledger: Ledger, profile: string, kind: ProfileKind, correlationId: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const before = await lockProfile(tx, profile);
    if (before?.state !== 'created') return before?.kind === kind;
    if (before.kind === kind) return true;
    await tx.updateTable('profiles').set({ kind }).where('id', '=', profile).where('state', '=', 'created').execute();
    await reopenSections(tx, profile, kind);
    await announceProfile(tx, 'profile.updated', (await findProfile(tx, profile)) as ProfileView, correlationId);
    return true;
  });
}

async function reopenSections(tx: LedgerTransaction, profile: string, kind: ProfileKind): Promise<void> {
  for (const table of ['profileSections', 'profileVerifications'] as const)
    await tx.deleteFrom(table).where('profile', '=', profile).execute();
  await openSections(tx, { id: profile, kind, state: 'created' });
}
