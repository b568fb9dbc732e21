import { createOwnProfile } from '../../ledger/customers/own-profile.ts';
import type { ProfileKind } from '../../schema/states.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail profile create`. */
export interface CreateOptions {
  owner: string;
  kind: ProfileKind;
  json?: true;
}

/** `mintrail profile create`. Throws `profile_exists`. */
export async function createProfile({ owner, kind, json }: CreateOptions): Promise<void> {
  const id = await withLedger((ledger) => createOwnProfile(ledger, owner, kind));
  print(json ? renderJson({ id, kind, owner, state: 'created' }) : `The profile ${id} is created: ${owner} completes it at /account.`);
}
