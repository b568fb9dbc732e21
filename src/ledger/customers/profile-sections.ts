import { sql } from 'kysely';
import { profileVerifications, verificationKinds } from './kyc-enumerations.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { ProfileKind, ProfileState, SectionState } from '../../schema/states.ts';

/** A profile as the API shows it (docs/api.md, Profile): the states, without the data of its sections. */
export interface ProfileView {
  id: string;
  kind: ProfileKind;
  name: string;
  state: ProfileState;
  details: { state: SectionState };
  form: { state: SectionState };
  verifications: { kind: string; personId?: string; state: SectionState }[];
}

/** Inserts the sections and verifications of a new profile. They begin in the profile's state. */
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
    .toSorted((first, second) => order.indexOf(first.kind) - order.indexOf(second.kind))
    .map(({ kind, person, state }) => (person === '' ? { kind, state } : { kind, personId: person, state }));
  return { ...profile, details: { state: stateOf('details') }, form: { state: stateOf('form') }, verifications };
}

/** Reads a profile and locks it until the transaction ends: submissions and decisions about it run one after the other. */
export async function lockProfile(tx: LedgerTransaction, id: string): Promise<ProfileView | undefined> {
  await sql`select from profiles where id = ${id} for update`.execute(tx);
  return findProfile(tx, id);
}

/** Records an event of a profile: the profile as it is now, or what has to be submitted again. */
export async function announceProfile(
  tx: LedgerTransaction,
  type: 'profile.updated' | 'profile.error',
  data: { id: string },
  correlationId?: string | null,
): Promise<void> {
  await tx
    .insertInto('events')
    .values({ type, profile: data.id, subject: data.id, data: JSON.stringify(data), correlationId: correlationId ?? null })
    .execute();
}
