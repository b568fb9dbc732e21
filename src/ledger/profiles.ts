import { randomUUID } from 'node:crypto';
import { StopError } from '../platform/errors.ts';
import type { Caller } from './access-tokens.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerTables } from './tables.ts';

type ProfileKind = LedgerTables['profiles']['kind'];
type ProfileState = LedgerTables['profiles']['state'];

export interface NewProfile {
  kind: ProfileKind;
  name: string;
  state: ProfileState;
  /** The user it belongs to; absent for a customer that a partner onboards. */
  owner?: string;
  /** The whitelabel application that onboards it. */
  application?: string;
}

/** Name, kind and state of a profile (specification, ProfileSummary). */
export interface ProfileSummary {
  id: string;
  kind: ProfileKind;
  name: string;
  state: ProfileState;
}

/** Creates a profile. Returns its id. */
export async function createProfile(ledger: Ledger, { kind, name, state, owner, application }: NewProfile): Promise<string> {
  const id = randomUUID();
  await ledger
    .insertInto('profiles')
    .values({ id, kind, name, state, owner: owner ?? null, application: application ?? null })
    .execute();
  return id;
}

/**
 * The profiles a caller may act on, as a subquery of ids: the default profile of its user, and for a whitelabel
 * application those that it onboarded. Every access decision of the ledger goes through here.
 */
export function profilesOf(ledger: Ledger, caller: Caller) {
  return ledger
    .selectFrom('profiles as permitted')
    .select('permitted.id')
    .where((where) =>
      where.or([
        ...(caller.defaultProfile === null ? [] : [where('permitted.id', '=', caller.defaultProfile)]),
        ...(caller.kind === 'whitelabel' ? [where('permitted.application', '=', caller.application)] : []),
      ]),
    );
}

/** The profile that a request acts on: the one it names, else the caller's default. Throws `profile_not_allowed`. */
export async function requireProfile(ledger: Ledger, caller: Caller, named?: string): Promise<string> {
  const profile = named ?? caller.defaultProfile;
  if (profile === null) throw notAllowed('This application has no default profile: name the profile');
  if (profile === caller.defaultProfile) return profile;
  const found = caller.kind === 'whitelabel' && (await profilesOf(ledger, caller).where('permitted.id', '=', profile).executeTakeFirst());
  if (!found) throw notAllowed(`The profile ${profile} does not belong to the caller`);
  return profile;
}

/** Summaries of every profile the caller may act on, oldest first. */
export async function listProfiles(ledger: Ledger, caller: Caller): Promise<ProfileSummary[]> {
  return profilesOf(ledger, caller)
    .clearSelect()
    .select(['permitted.id', 'permitted.kind', 'permitted.name', 'permitted.state'])
    .orderBy('permitted.created_at')
    .orderBy('permitted.id')
    .execute();
}

function notAllowed(message: string): StopError {
  return new StopError({ code: 'profile_not_allowed', message });
}
