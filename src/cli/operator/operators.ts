import { inTransaction } from '../../ledger/ledger.ts';
import { invitationHours, inviteOperator } from '../../ledger/operators/invitations.ts';
import { disableOperator, enableOperator, resetOperator } from '../../ledger/operators/operator-access.ts';
import { addOperator, changeRole, listOperators, type Operator } from '../../ledger/operators/operators.ts';
import { consoleUrl } from '../../platform/settings.ts';
import { cliSomeSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail operator list`. */
export async function list(json: boolean): Promise<void> {
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

/** `mintrail operator add`. Throws `invalid_operator_name` and `operator_exists`. */
export async function add(operator: Operator): Promise<void> {
  const secret = await withLedger((ledger) =>
    inTransaction(ledger, async (tx) => {
      await addOperator(tx, operator);
      return inviteOperator(tx, operator.name);
    }),
  );
  printInvitation(operator.name, secret);
}

/** `mintrail operator reset`. Throws `unknown_operator`. */
export async function reset(name: string): Promise<void> {
  printInvitation(name, await withLedger((ledger) => resetOperator(ledger, name)));
}

/** `mintrail operator role`. Throws `unknown_operator`. */
export async function setRole({ name, role }: Operator): Promise<void> {
  await withLedger((ledger) => changeRole(ledger, name, role));
  print(`${name} has the role ${role}, and signs in again.`);
}

/** `mintrail operator disable`. Throws `unknown_operator`. */
export async function disable(name: string): Promise<void> {
  await withLedger((ledger) => disableOperator(ledger, name));
  print(`${name} is disabled, and signed out everywhere.`);
}

/** `mintrail operator enable`. Throws `unknown_operator` and `operator_not_disabled`. */
export async function enable(name: string): Promise<void> {
  printInvitation(name, await withLedger((ledger) => enableOperator(ledger, name)));
}

/** The secret is behind `#`, where no server and no log sees it. */
function printInvitation(name: string, secret: string): void {
  const settings = cliSomeSettings(['consoleUrl', 'consolePort']);
  print(
    `${consoleUrl(settings)}/invitation#${secret}\n\nThe invitation of ${name} is good once, for ${invitationHours} hours. It is for that person alone.`,
  );
}
