import { z } from 'zod';
import { listApplications } from '../../ledger/access/applications/list-applications.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { defineView } from '../view.ts';

/** The applications that may call the API. */
export const applications = defineView({
  name: 'applications.all',
  summary: 'list all applications, the oldest first',
  command: 'app list',
  roles: operatorRoles,
  input: z.object({}),
  read: listApplications,
  columns: {
    'client id': ({ id }) => id,
    created: ({ createdAt }) => createdAt,
    kind: ({ kind, isConfidential }) => (kind === 'authorization_code' && isConfidential ? `${kind} (confidential)` : kind),
    name: ({ name }) => name,
    owner: ({ owner }) => owner,
    state: ({ state }) => state,
    permissions: ({ permissions }) => permissions.join(', '),
    'redirect URIs': ({ redirectUris }) => redirectUris.join(' '),
    origins: ({ origins }) => origins.join(' '),
  },
  empty: 'No applications.',
});
