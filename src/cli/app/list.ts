import { listApplications } from '../../ledger/access/applications.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail app list`. */
export async function listApps(json: boolean): Promise<void> {
  const applications = await withLedger(listApplications);
  if (json) return print(renderJson(applications));
  if (applications.length === 0) return print('No applications.');
  const rows = applications.map(({ id, createdAt, kind, name, owner, state, permissions, redirectUris, origins, isConfidential }) => [
    id,
    formatTime(createdAt),
    kind === 'authorization_code' && isConfidential ? `${kind} (confidential)` : kind,
    name,
    owner,
    state,
    permissions.join(', '),
    redirectUris.join(' '),
    origins.join(' '),
  ]);
  print(renderTable(['client id', 'created', 'kind', 'name', 'owner', 'state', 'permissions', 'redirect URIs', 'origins'], rows));
}
