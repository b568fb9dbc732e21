import { showProfile as readProfile } from '../../ledger/customers/profile-queries.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';
import { requireProfileId, unknownProfile } from './profile-id.ts';

/** `mintrail profile show`. Throws `not_found`. */
export async function showProfile(id: string): Promise<void> {
  const profile = await withLedger(async (ledger) => readProfile(ledger, requireProfileId(id)));
  if (!profile) throw unknownProfile(id);
  print(renderJson(profile));
}
