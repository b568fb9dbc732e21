import { sql } from 'kysely';
import { profileVerifications, verificationKinds } from './kyc-enumerations.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { ProfileKind, ProfileState, SectionState } from '../tables.ts';

/** A profile as the wire shows it (docs/api.md, Profile): states, and nothing of what its sections hold. */
export interface ProfileView {
  id: string;
  kind: ProfileKind;
  name: string;
  state: ProfileState;
  details: { state: SectionState };
  form: { state: SectionState };
  verifications: { kind: string; personId?: string; state: SectionState }[];
}

/** Gives a new profile its sections: where it is, they are. */
export async function openSections(tx: LedgerTransaction, profile: { id: string; kind: ProfileKind; state: ProfileState }): Promise<void> {
  const state = profile.state === 'created' ? 'incomplete' : profile.state;
  await tx
    .insertInto('profileSections')
    .values((['details', 'form'] as const).map((section) => ({ profile: profile.id, section, state })))
    .execute();
  await tx
    .insertInto('profileVerifications')
    .values(profileVerifications[profile.kind].map((kind) => ({ profile: profile.id, kind, state })))
    .execute();
}

/** A profile with the states of its sections; `undefined` when there is none. */
export async function findProfile(ledger: Ledger, id: string): Promise<ProfileView | undefined> {
  const profile = await ledger.selectFrom('profiles').where('id', '=', id).select(['id', 'kind', 'name', 'state']).executeTakeFirst();
  if (!profile) return undefined;
  const sections = await ledger.selectFrom('profileSections').where('profile', '=', id).select(['section', 'state']).execute();
  const stateOf = (section: 'details' | 'form') => sections.find((row) => row.section === section)?.state ?? 'incomplete';
  const rows = await ledger
    .selectFrom('profileVerifications')
    .where('profile', '=', id)
    .orderBy('person')
    .select(['kind', 'person', 'state'])
    .execute();
  const order: readonly string[] = verificationKinds[profile.kind];
  const verifications = rows
    .toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
    .map(({ kind, person, state }) => (person === '' ? { kind, state } : { kind, personId: person, state }));
  return { ...profile, details: { state: stateOf('details') }, form: { state: stateOf('form') }, verifications };
}

/** A profile whose row nobody else changes until the transaction ends: submissions and decisions come one after the other. */
export async function lockProfile(tx: LedgerTransaction, id: string): Promise<ProfileView | undefined> {
  await sql`select from profiles where id = ${id} for update`.execute(tx);
  return findProfile(tx, id);
}

/** Records what subscribers are told: the profile as it is now, or what is wrong with it. */
export async function announceProfile(
  tx: LedgerTransaction,
  type: 'profile.updated' | 'profile.error',
  data: { id: string },
  correlationId?: string,
): Promise<void> {
  await tx
    .insertInto('events')
    .values({ type, profile: data.id, subject: data.id, data: JSON.stringify(data), correlationId: correlationId ?? null })
    .execute();
}
