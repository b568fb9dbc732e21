import { z } from 'zod';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import { inviteOperator } from '../../ledger/operators/invitations.ts';
import { disableOperator, enableOperator, resetOperator } from '../../ledger/operators/operator-access.ts';
import {
  addOperator,
  changeRole,
  findDisabledOperator,
  findOperator,
  listOperators,
  operatorRoles,
  requireFreeName,
  requireOtherRole,
} from '../../ledger/operators/operators.ts';
import { StopError } from '../../platform/errors.ts';
import { isOperatorName } from '../../platform/settings/setting-values.ts';
import { consoleUrl, needsFourEyes } from '../../platform/settings.ts';
import { type VerbContext, defineVerb } from '../verb.ts';

const name = z
  .string()
  .refine(isOperatorName, 'must be at most 64 letters, digits and . _ @ -')
  .describe('name of the person, as the audit log shows it');
const role = z.enum(operatorRoles).meta({ description: 'what the operator may do (docs/console.md, Roles)', flags: '--role <role>' });
const forAdministrators = { roles: ['administrator'], topics: ['operators'] } as const;

/** Adds an operator. Its invitation is for that person alone. */
export const addOperatorVerb = defineVerb({
  ...forAdministrators,
  name: 'operators.add',
  summary: 'add an operator and show the link of the invitation, which is good once',
  command: 'operator add <name>',
  input: z.strictObject({ name, role }),
  // Nobody could approve the first.
  needsSecondPerson: async ({ ledger }) => hasOperators(ledger),
  isResultSecret: true,
  async describe(context, input) {
    await requireFreeName(context.ledger, input.name);
    return `Add the operator ${input.name} with the role ${input.role}. ${handoverOf(context, await hasOperators(context.ledger))}`;
  },
  async carryOut(context, input) {
    const secret = await inTransaction(context.ledger, async (tx) => {
      await addOperator(tx, input);
      return inviteOperator(tx, input.name, codeMakerOf(context));
    });
    return invitationOf(context, input.name, secret);
  },
});

/** Takes an operator's means to sign in away and invites them anew. */
export const resetOperatorVerb = defineVerb({
  ...forAdministrators,
  name: 'operators.reset',
  summary: 'remove what an operator signs in with, end their sessions, and show the link of a new invitation',
  command: 'operator reset <name>',
  input: z.strictObject({ name }),
  needsSecondPerson: true,
  isResultSecret: true,
  async describe(context, input) {
    const operator = await requireOther(context, input.name);
    return `Remove the password, passkeys and app of ${operator.name}, whose role is ${operator.role}, end their sessions, and invite them anew. ${handoverOf(context)}`;
  },
  async carryOut(context, input) {
    const operator = await requireOther(context, input.name);
    return invitationOf(context, operator.name, await resetOperator(context.ledger, operator.name, codeMakerOf(context)));
  },
});

/** Lets an operator who is disabled back in. */
export const enableOperatorVerb = defineVerb({
  ...forAdministrators,
  name: 'operators.enable',
  summary: 'let a disabled operator back in with their role, and show the link of a new invitation',
  command: 'operator enable <name>',
  input: z.strictObject({ name }),
  needsSecondPerson: true,
  isResultSecret: true,
  async describe(context, input) {
    const operator = await requireDisabled(context, input.name);
    return `Enable ${operator.name} again with the role ${operator.role}, by a new invitation. ${handoverOf(context)}`;
  },
  async carryOut(context, input) {
    const operator = await requireDisabled(context, input.name);
    return invitationOf(context, operator.name, await enableOperator(context.ledger, operator.name, codeMakerOf(context)));
  },
});

/** Gives an operator another role. */
export const changeRoleVerb = defineVerb({
  ...forAdministrators,
  name: 'operators.role',
  summary: 'give an operator another role and end their sessions',
  command: 'operator role <name>',
  input: z.strictObject({ name, role }),
  needsSecondPerson: true,
  describe: async (context, input) => {
    const operator = await requireOperator(context, input.name);
    requireOtherRole(operator, input.role);
    return `Give ${operator.name} the role ${input.role} instead of ${operator.role}, and end their sessions`;
  },
  async carryOut(context, input) {
    await requireOperator(context, input.name);
    await changeRole(context.ledger, input.name, input.role);
    return { ...input };
  },
});

/** Disables an operator. It takes power away, and must not wait. */
export const disableOperatorVerb = defineVerb({
  ...forAdministrators,
  name: 'operators.disable',
  summary: 'disable an operator and end their sessions',
  command: 'operator disable <name>',
  input: z.strictObject({ name }),
  needsSecondPerson: false,
  describe: async (context, input) => `Disable ${(await requireOperator(context, input.name)).name} and end their sessions`,
  async carryOut({ ledger }, input) {
    await disableOperator(ledger, input.name);
    return { ...input };
  },
});

/** Who makes the code of the invitation: whoever asked for it, when a second person approved it and gets the link. */
function codeMakerOf({ operator, approvedBy }: VerbContext): { codeMaker?: string } {
  return approvedBy === undefined ? {} : { codeMaker: operator.name };
}

/** The link of an invitation: its secret is behind `#`, where no server and no log sees it. */
function invitationOf(context: VerbContext, operator: string, secret: string) {
  const { codeMaker } = codeMakerOf(context);
  return { name: operator, invitation: `${consoleUrl(context.settings)}/invitation#${secret}`, codeMaker: codeMaker ?? null };
}

async function hasOperators(ledger: Ledger): Promise<boolean> {
  return (await listOperators(ledger)).length > 0;
}

/** What the second person must know of the invitation, and whoever asks for it. */
function handoverOf({ settings, alone }: VerbContext, isForTwo = true): string {
  if (!needsFourEyes(settings) || !isForTwo || alone !== undefined)
    return 'You get the link of the invitation, and give it to that person alone';
  return 'Whoever approves it gets the link of the invitation, and whoever asks for it makes its code, on the page Operators: each gives their half to that person, and to nobody else';
}

/**
 * An operator who is somebody else: nobody who is signed out could make the code of their own invitation. Whoever acts alone on the machine needs none.
 * Throws `not_found` and `invalid_request`.
 */
async function requireOther(context: VerbContext, operator: string) {
  const other = await requireOperator(context, operator);
  if (other.name !== context.operator.name || context.alone !== undefined) return other;
  throw new StopError({
    code: 'invalid_request',
    message: 'You change what you sign in with under Your account; an invitation is asked for by another operator',
    fields: { name: 'is your own' },
  });
}

/** An operator who is disabled. Throws `not_found` and `not_possible`. */
async function requireDisabled({ ledger }: VerbContext, operator: string) {
  const disabled = await findDisabledOperator(ledger, operator);
  if (disabled) return disabled;
  if (await findOperator(ledger, operator))
    throw new StopError({
      code: 'not_possible',
      message: `The operator ${operator} is not disabled: \`mintrail operator reset\` makes a new invitation`,
    });
  throw new StopError({ code: 'not_found', message: `There is no operator ${operator}` });
}

async function requireOperator({ ledger }: VerbContext, operator: string) {
  const known = await findOperator(ledger, operator);
  if (known) return known;
  throw new StopError({ code: 'not_found', message: `There is no operator ${operator} who could sign in` });
}
