import { z } from 'zod';
import { changeOrigins } from '../../ledger/access/application-origins.ts';
import { type ApplicationRegistration, registerApplication, requireRegistrable } from '../../ledger/access/application-registration.ts';
import {
  approveApplication,
  disableApplication,
  isConfidential,
  listApplications,
  rotateSecret,
  withoutSecret,
} from '../../ledger/access/applications.ts';
import { StopError } from '../../platform/errors.ts';
import { type VerbContext, defineVerb } from '../verb.ts';

const text = z.string().trim().min(1).max(2_048);
const application = z.strictObject({ application: z.uuid() });
const forAdministrators = { roles: ['administrator'], topics: ['applications'] } as const;

/** Registers an application, as `mintrail app create` does. */
export const registerApplicationVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.register',
  summary: 'register an application; its secret is shown only now',
  input: z.strictObject({
    kind: z.enum(['private', 'whitelabel', 'authorization_code']),
    name: text,
    owner: z.email().optional(),
    redirectUris: z.array(text).max(20).default([]),
    privacyPolicyUrl: z.url().optional(),
    termsUrl: z.url().optional(),
    permission: z.enum(['read', 'write']).default('read'),
    isReadOnly: z.boolean().default(false),
    isConfidential: z.boolean().default(false),
    refreshNeedsSecret: z.boolean().default(false),
    origins: z.array(text).max(20).default([]),
  }),
  // Those of a private one are valid at once where its owner's profile is approved, and the secret is shown to whoever carries it out.
  needsSecondPerson: true,
  isResultSecret: true,
  async describe({ settings }, input) {
    requireRegistrable(input, settings.environment);
    return describeRegistration(input);
  },
  async carryOut({ ledger, settings }, input) {
    const registered = await registerApplication(ledger, input, settings.environment);
    return { id: registered.id, secret: registered.secret, owner: registered.owner, state: registered.state };
  },
});

/** Makes the credentials of an application valid, as `mintrail app approve` does. */
export const approveApplicationVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.approve',
  summary: 'approve a whitelabel application in production, which makes its credentials valid',
  input: application,
  needsSecondPerson: true,
  describe: async (context, input) => `Make the credentials of ${await describeApplication(context, input)} valid`,
  carryOut: async ({ ledger }, input) => ({ changed: await approveApplication(ledger, input.application) }),
});

/** Gives an application a new secret, as `mintrail app rotate-secret` does. Whoever has the secret acts as the application. */
export const rotateSecretVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.rotate-secret',
  summary: 'give an application a new secret; the old one stays valid for 24 hours',
  input: application.extend({ atOnce: z.boolean().optional(), stolenSince: z.iso.datetime({ offset: true }).optional() }),
  needsSecondPerson: true,
  isResultSecret: true,
  async describe(context, { stolenSince, atOnce = stolenSince !== undefined, ...input }) {
    const rotated = await findApplication(context, input);
    if (!isConfidential(rotated)) throw withoutSecret(rotated.id);
    const end = atOnce ? 'and its tokens end at once' : 'stays valid for 24 hours';
    const theft = `, those of its users too, and what it has linked since ${stolenSince} signs nobody in, because somebody else may have had the old one since then`;
    return `Give ${nameOf(rotated)} a new secret; the old one ${end}${stolenSince === undefined ? '' : theft}. Whoever carries it out gets the secret`;
  },
  carryOut: async ({ ledger }, { application, atOnce, stolenSince }) => ({
    ...(await rotateSecret(ledger, application, { atOnce, stolenSince: stolenSince === undefined ? undefined : new Date(stolenSince) })),
  }),
});

/** Disables an application for good, as `mintrail app disable` does. It takes power away, and must not wait. */
export const disableApplicationVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.disable',
  summary: 'disable an application and its tokens for good',
  input: application,
  needsSecondPerson: false,
  describe: async (context, input) => `Disable ${await describeApplication(context, input)} and its tokens for good`,
  carryOut: async ({ ledger }, input) => ({ changed: await disableApplication(ledger, input.application) }),
});

/** Changes the origins whose pages may call the API for an application, as `mintrail app origins` does. */
export const changeOriginsVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.origins',
  summary: 'change the origins whose pages may call the API for an application',
  input: application.extend({ add: z.array(text).max(20).default([]), remove: z.array(text).max(20).default([]) }),
  needsSecondPerson: async (_, { add }) => add.length > 0,
  describe: async (context, { add, remove, ...input }) =>
    `Let the pages of ${add.join(', ') || 'no further origin'} in, and those of ${remove.join(', ') || 'none'} no more, for ${await describeApplication(context, input)}`,
  carryOut: async ({ ledger, settings }, { add, remove, ...input }) => ({
    origins: await changeOrigins(ledger, input.application, { add, remove }, settings.environment),
  }),
});

/** Everything by which the application gets at data or tokens, for the second person. */
function describeRegistration(registration: ApplicationRegistration): string {
  const { kind, name, owner, permission, isReadOnly, redirectUris, origins, isConfidential, refreshNeedsSecret } = registration;
  const power = permission === 'write' ? ', which may also place orders and change data' : '';
  const limit = isReadOnly === true ? ', which may only read' : '';
  const client = kind === 'authorization_code' ? (isConfidential === true ? ' with a secret' : ' without a secret') : '';
  const refreshes = refreshNeedsSecret === true ? ', which its refreshes need' : '';
  const owned = owner === undefined ? '' : `, owned by ${owner}`;
  const redirects = redirectUris.length === 0 ? '' : `. Users come back to ${redirectUris.join(', ')}`;
  const pages = origins.length === 0 ? '' : `. The pages of ${origins.join(', ')} may call the API for it`;
  // In quotation marks, which it cannot end: whoever asks chooses it.
  return `Register the application ${JSON.stringify(name)} of the kind ${kind}${client}${refreshes}${owned}${power}${limit}${redirects}${pages}`;
}

type ListedApplication = Awaited<ReturnType<typeof listApplications>>[number];

async function findApplication({ ledger }: VerbContext, input: z.infer<typeof application>): Promise<ListedApplication> {
  const listed = (await listApplications(ledger)).find(({ id }) => id === input.application);
  if (listed) return listed;
  throw new StopError({ code: 'unknown_application', message: `There is no application ${input.application}` });
}

async function describeApplication(context: VerbContext, input: z.infer<typeof application>): Promise<string> {
  return nameOf(await findApplication(context, input));
}

function nameOf({ id, name, kind, owner }: ListedApplication): string {
  return `the application ${JSON.stringify(name)} (${kind}, ${id}, owned by ${owner})`;
}
