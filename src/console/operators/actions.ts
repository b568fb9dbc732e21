import { z } from 'zod';
import { inTransaction } from '../../ledger/ledger.ts';
import { inviteOperator, resetOperator } from '../../ledger/operators/invitations.ts';
import { addOperator, changeRole, disableOperator, findOperator, operatorRoles } from '../../ledger/operators/operators.ts';
import { StopError } from '../../platform/errors.ts';
import { isOperatorName } from '../../platform/settings/setting-values.ts';
import { consoleUrl } from '../../platform/settings.ts';
import { type ActionContext, defineAction } from '../actions/action.ts';

const name = z.string().refine(isOperatorName, 'must be at most 64 letters, digits and . _ @ -');
const role = z.enum(operatorRoles);
const forAdministrators = { roles: ['administrator'], topics: ['operators'] } as const;

/** Adds an operator, as `mintrail operator add` does. Its link is for that person alone. */
export const addOperatorAction = defineAction({
  ...forAdministrators,
  name: 'operators.add',
  input: z.object({ name, role }),
  needsSecondPerson: true,
  isResultSecret: true,
  describe: async (_, input) =>
    `Add the operator ${input.name} with the role ${input.role}. Whoever carries it out gets the invitation and hands it over`,
  async carryOut({ ledger, settings }, input) {
    const secret = await inTransaction(ledger, async (tx) => {
      await addOperator(tx, input);
      return inviteOperator(tx, input.name);
    });
    return { name: input.name, invitation: invitationLink(settings, secret) };
  },
});

/** Takes an operator's means to sign in away and invites them anew, as `mintrail operator reset` does. */
export const resetOperatorAction = defineAction({
  ...forAdministrators,
  name: 'operators.reset',
  input: z.object({ name }),
  needsSecondPerson: true,
  isResultSecret: true,
  describe: async (context, input) => {
    const operator = await requireOperator(context, input.name);
    return `Remove the password, passkeys and app of ${operator.name}, whose role is ${operator.role}, end their sessions, and invite them anew. Whoever carries it out gets the invitation and hands it over`;
  },
  async carryOut(context, input) {
    await requireOperator(context, input.name);
    return { name: input.name, invitation: invitationLink(context.settings, await resetOperator(context.ledger, input.name)) };
  },
});

/** Gives an operator another role, as `mintrail operator role` does. */
export const changeRoleAction = defineAction({
  ...forAdministrators,
  name: 'operators.role',
  input: z.object({ name, role }),
  needsSecondPerson: true,
  describe: async (context, input) => {
    const operator = await requireOperator(context, input.name);
    return `Give ${operator.name} the role ${input.role} instead of ${operator.role}, and end their sessions`;
  },
  async carryOut(context, input) {
    await requireOperator(context, input.name);
    await changeRole(context.ledger, input.name, input.role);
  },
});

/** Disables an operator, as `mintrail operator disable` does. It takes power away, and must not wait. */
export const disableOperatorAction = defineAction({
  ...forAdministrators,
  name: 'operators.disable',
  input: z.object({ name }),
  needsSecondPerson: false,
  describe: async (context, input) => `Disable ${(await requireOperator(context, input.name)).name} and end their sessions`,
  carryOut: ({ ledger }, input) => disableOperator(ledger, input.name),
});

/** The link of an invitation: behind `#`, where no server and no log sees it. */
function invitationLink(settings: ActionContext['settings'], secret: string): string {
  return `${consoleUrl(settings)}/invitation#${secret}`;
}

async function requireOperator({ ledger }: ActionContext, operator: string) {
  const found = await findOperator(ledger, operator);
  if (found) return found;
  throw new StopError({ code: 'unknown_operator', message: `There is no operator ${operator} who could sign in` });
}
