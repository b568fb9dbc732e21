import { z } from 'zod';
import { listAllProfiles } from '../../ledger/customers/profile-queries.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { anyOf, defineView } from '../view.ts';

/** Customers. */
export const profiles = defineView({
  name: 'customers.profiles',
  summary: 'list profiles, the oldest first',
  command: 'profile list',
  roles: operatorRoles,
  input: z.object({
    state: anyOf(['created', 'incomplete', 'pending', 'approved', 'rejected']).describe('only profiles in these states').optional(),
    after: z.uuid().describe('only those that follow this one').optional(),
  }),
  limit: { usual: 100, most: 10_000 },
  read: (ledger, { state, ...page }) => listAllProfiles(ledger, { ...page, states: state }),
  keyOf: ({ id }) => id,
  columns: {
    id: ({ id }) => id,
    created: ({ createdAt }) => createdAt,
    kind: ({ kind }) => kind,
    name: ({ name }) => name,
    state: ({ state }) => state,
  },
  empty: 'No profiles.',
});
