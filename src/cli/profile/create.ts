import { createOwnProfile } from '../../ledger/customers/own-profile.ts';
import type { ProfileKind } from '../../schema/states.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { changeLedger } from '../verbs/carry-out-verb.ts';
import { reviewers } from './profile-id.ts';

/** Options of `mintrail profile create`. */
export interface CreateOptions {
  owner: string;
  kind: ProfileKind;
  yes?: boolean;
  json?: boolean;
}

/** `mintrail profile create`. Throws `profile_exists`. */
export async function createProfile(options: CreateOptions): Promise<void> {
  const { owner, kind, json } = options;
  const change = { roles: reviewers, sentence: `Create the ${kind} profile of ${owner}` };
  const id = await changeLedger(change, options, (ledger) => createOwnProfile(ledger, owner, kind));
  print(json ? renderJson({ id, kind, owner, state: 'created' }) : `The profile ${id} is created: ${owner} completes it at /account.`);
}
