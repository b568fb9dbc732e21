import type { Command } from 'commander';
import { invitationHours } from '../../ledger/operators/invitations.ts';
import { operators } from '../../operations/operators/operator-view.ts';
import {
  addOperatorVerb,
  changeRoleVerb,
  disableOperatorVerb,
  enableOperatorVerb,
  resetOperatorVerb,
} from '../../operations/operators/operators.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';

/** `mintrail operator`: who may sign in to the console. */
export function addOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('add the people who sign in to the console, list, reset, disable and enable them');

  addView(operator, operators, { isDefault: true });

  addVerb(operator, addOperatorVerb, { text: invitationText });
  addVerb(operator, changeRoleVerb, { text: ({ name, role }) => `${name} has the role ${role}, and signs in again.` });
  addVerb(operator, resetOperatorVerb, { text: invitationText });
  addVerb(operator, disableOperatorVerb, { text: ({ name }) => `${name} is disabled, and signed out everywhere.` });
  addVerb(operator, enableOperatorVerb, { text: invitationText });
}

function invitationText({ name, invitation }: { name: string; invitation: string }): string {
  return `${invitation}\n\nThe invitation of ${name} is good once, for ${invitationHours} hours. It is for that person alone.`;
}
