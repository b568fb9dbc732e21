import { z } from 'zod';
import { listOperators } from '../../ledger/operators/operators.ts';
import { defineView } from '../view.ts';

/** Who may sign in to the console. */
export const operators = defineView({
  name: 'operators.all',
  summary: 'list all operators',
  command: 'operator list',
  roles: ['administrator'],
  input: z.object({}),
  read: listOperators,
  columns: {
    name: ({ name }) => name,
    role: ({ role }) => role,
    state: stateText,
    'signs in with': ({ hasPassword, passkeys }) =>
      [...(hasPassword ? ['password and app'] : []), ...(passkeys > 0 ? [`${passkeys} passkeys`] : [])].join(', '),
    'last seen': ({ lastSeenAt }) => lastSeenAt,
  },
  empty: 'No operators: `mintrail operator add NAME --role administrator` adds the first.',
});

function stateText({ disabledAt, invitedUntil, hasPassword, passkeys }: Awaited<ReturnType<typeof listOperators>>[number]): string {
  if (disabledAt !== null) return 'disabled';
  if (invitedUntil !== null) return 'invited';
  return hasPassword || passkeys > 0 ? 'active' : 'needs a reset';
}
