import { listAllProfiles, showProfile as readProfile } from '../../ledger/customers/profile-queries.ts';
import type { ProfileState } from '../../schema/states.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';
import { requireProfileId, unknownProfile } from './profile-id.ts';

/** Options of `mintrail profile list`. */
export interface ListOptions {
  state?: ProfileState[];
  limit: number;
  json?: true;
}

/** `mintrail profile list`. */
export async function listProfiles({ state, limit, json }: ListOptions): Promise<void> {
  const profiles = await withLedger((ledger) => listAllProfiles(ledger, { states: state, limit }));
  if (json) return print(renderJson(profiles));
  if (profiles.length === 0) return print('No profiles.');
  const rows = profiles.map(({ id, kind, name, state, createdAt }) => [id, formatTime(createdAt), kind, name, state]);
  print(renderTable(['id', 'created', 'kind', 'name', 'state'], rows));
  if (profiles.some((profile) => profile.state === 'pending'))
    print(
      '\nA pending profile waits for your decision: `mintrail profile show ID` has its data, `mintrail profile documents ID --output DIR` its documents, `mintrail profile review ID` decides.',
    );
}

/** `mintrail profile show`. Throws `not_found`. */
export async function showProfile(id: string): Promise<void> {
  const profile = await withLedger(async (ledger) => readProfile(ledger, requireProfileId(id)));
  if (!profile) throw unknownProfile(id);
  print(renderJson(profile));
}
