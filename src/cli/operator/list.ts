import { listOperators } from '../../ledger/operators/operators.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail operator list`. */
export async function listAllOperators(json: boolean): Promise<void> {
  const operators = await withLedger(listOperators);
  if (json) return print(renderJson(operators));
  if (operators.length === 0) return print('No operators: `mintrail operator add NAME --role administrator` adds the first.');
  const rows = operators.map(({ name, role, hasPassword, passkeys, lastSeenAt, invitedUntil, disabledAt }) => [
    name,
    role,
    disabledAt !== null ? 'disabled' : invitedUntil !== null ? 'invited' : hasPassword || passkeys > 0 ? 'active' : 'needs a reset',
    `${hasPassword ? 'password and app' : ''}${hasPassword && passkeys > 0 ? ', ' : ''}${passkeys > 0 ? `${passkeys} passkeys` : ''}`,
    lastSeenAt === null ? '' : formatTime(lastSeenAt),
  ]);
  print(renderTable(['name', 'role', 'state', 'signs in with', 'last seen'], rows));
}
