import { z } from 'zod';
import { changedOrigins, changeOrigins } from '../../ledger/access/applications/origins.ts';
import {
  type ApplicationRegistration,
  registerApplication,
  requireRegistrable,
} from '../../ledger/access/applications/register-application.ts';
import { approveApplication, requireWaiting } from '../../ledger/access/applications/approve-application.ts';
import { disableApplication } from '../../ledger/access/applications/disable-application.ts';
import { findApplication } from '../../ledger/access/applications/find-application.ts';
import { endsAtOnce, requireRotatable, rotateSecret } from '../../ledger/access/applications/rotate-secret.ts';
import { defineVerb } from '../verb.ts';

const text = z.string().trim().min(1).max(2_048);
const application = z.strictObject({ application: z.uuid().describe('its client id, as `app create` and `app list` show it') });
const forAdministrators = { roles: ['administrator'], topics: ['applications'] } as const;

/** Registers an application. */
export const registerApplicationVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.register',
  summary: 'register an application; its secret is shown only now',
  command: 'app create',
  // What these must be, the ledger says of all at once.
  input: z.strictObject({
    kind: z
      .enum(['private', 'whitelabel', 'authorization_code'])
      .meta({ description: 'how its credentials are used', flags: '--kind <kind>' }),
    name: text.meta({ description: 'name, which users see when they sign in', flags: '--name <name>' }),
    owner: text
      .meta({
        description: 'user who owns it, who is created if unknown; may be left out in a sandbox while there is only one user',
        flags: '--owner <email>',
      })
      .optional(),
    redirectUris: z.array(text).max(20).default([]).meta({
      description:
        'exact URI to which users may be sent back (authorization_code): https, a loopback address on any port, or an app such as com.example.app:/back',
      flags: '--redirect-uri <uri>',
    }),
    privacyPolicyUrl: text
      .meta({
        description: 'its privacy policy (authorization_code); sign-in by a wallet (SIWE) needs it',
        flags: '--privacy-policy <url>',
      })
      .optional(),
    termsUrl: text
      .meta({
        description: 'its terms of service (authorization_code); sign-in by a wallet (SIWE) needs them',
        flags: '--terms <url>',
      })
      .optional(),
    permission: z.enum(['read', 'write']).default('read').meta({
      description: 'access that users give it to their profiles (authorization_code); by default read',
      flags: '--permission <permission>',
    }),
    isReadOnly: z
      .boolean()
      .default(false)
      .meta({ description: 'it may only read, as a reporting tool that must not move money (private)', flags: '--read-only' }),
    isConfidential: z.boolean().default(false).meta({
      description: 'it has a server that keeps its secret, which it then sends with every code (authorization_code)',
      flags: '--confidential',
    }),
    refreshNeedsSecret: z
      .boolean()
      .default(false)
      .describe('it sends its secret with every refresh too, which clients of this API family do not by themselves'),
    origins: z
      .array(text)
      .max(20)
      .default([])
      .meta({ description: 'origin whose pages may call the API across origins (docs/api.md, Browsers)', flags: '--origin <origin>' }),
  }),
  // Those of a private one are valid at once where its owner's profile is approved, and the secret is shown to whoever carries it out.
  needsSecondPerson: true,
  isResultSecret: true,
  async describe({ ledger, settings }, input) {
    await requireRegistrable(ledger, input, settings.environment);
    return describeRegistration(input);
  },
  async carryOut({ ledger, settings }, input) {
    const { secret, ...registered } = await registerApplication(ledger, input, settings.environment);
    const { kind, name, privacyPolicyUrl, termsUrl } = input;
    const lacksPages = kind === 'authorization_code' && (privacyPolicyUrl === undefined || termsUrl === undefined);
    return { ...registered, secret: secret === '' ? null : secret, kind, name, lacksPages };
  },
});

/** Makes the credentials of an application valid. */
export const approveApplicationVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.approve',
  summary: 'approve a whitelabel application in production, which makes its credentials valid',
  command: 'app approve <application>',
  input: application,
  needsSecondPerson: true,
  async describe({ ledger }, input) {
    const waiting = await findApplication(ledger, input.application);
    requireWaiting(waiting);
    return `Make the credentials of ${nameOf(waiting)} valid`;
  },
  async carryOut({ ledger }, input) {
    await approveApplication(ledger, input.application);
    return { id: input.application };
  },
});

/** Gives an application a new secret. Whoever has the secret acts as the application. */
export const rotateSecretVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.rotate-secret',
  summary: 'give an application a new secret; the old one stays valid for 24 hours',
  command: 'app rotate-secret <application>',
  input: application.extend({
    atOnce: z.boolean().describe('end the old secret and its tokens now').optional(),
    stolenSince: z.iso
      .datetime({ offset: true })
      .meta({
        description:
          'somebody else may have had the old secret since then, which ends it at once and all its tokens, and the wallet sign-in of what it has linked',
        flags: '--stolen-since <time>',
      })
      .optional(),
  }),
  needsSecondPerson: true,
  isResultSecret: true,
  async describe({ ledger }, { application: id, ...input }) {
    const rotated = await findApplication(ledger, id);
    const { stolenSince } = input;
    requireRotatable(rotated, timeOf(stolenSince));
    const end = endsAtOnce(input) ? 'and its tokens end at once' : 'stays valid for 24 hours';
    const theft = `, those of its users too, and what it has linked since ${stolenSince} signs nobody in, because somebody else may have had the old one since then`;
    const until = rotated.previousSecretUntil;
    const earlier =
      until === null || until.getTime() <= Date.now() ? '' : `; the one before it, valid until ${until.toISOString()}, ends now`;
    return `Give ${nameOf(rotated)} a new secret; the old one ${end}${stolenSince === undefined ? '' : theft}${earlier}. The old one was made at ${rotated.secretSetAt.toISOString()}. Whoever carries it out gets the secret`;
  },
  carryOut: async ({ ledger }, { application: id, atOnce, stolenSince }) => ({
    ...(await rotateSecret(ledger, id, { atOnce, stolenSince: timeOf(stolenSince) })),
    atOnce: endsAtOnce({ atOnce, stolenSince }),
    stolenSince: stolenSince ?? null,
  }),
});

/** Disables an application for good. It takes power away, and must not wait. */
export const disableApplicationVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.disable',
  summary: 'disable an application and its tokens for good',
  command: 'app disable <application>',
  input: application,
  needsSecondPerson: false,
  describe: async ({ ledger }, input) => `Disable ${nameOf(await findApplication(ledger, input.application))} and its tokens for good`,
  carryOut: async ({ ledger }, input) => ({
    id: input.application,
    changed: await disableApplication(ledger, input.application),
  }),
});

/** Changes the origins whose pages may call the API for an application. */
export const changeOriginsVerb = defineVerb({
  ...forAdministrators,
  name: 'applications.origins',
  summary: 'change the origins whose pages may call the API for an application',
  command: 'app origins <application>',
  input: application
    .extend({
      add: z
        .array(text)
        .max(20)
        .default([])
        .meta({ description: 'let the pages of this origin in, such as https://app.example', flags: '--add <origin>' }),
      remove: z.array(text).max(20).default([]).meta({ description: 'let them in no more', flags: '--remove <origin>' }),
    })
    .refine(({ add, remove }) => add.length + remove.length > 0, { message: 'must add or remove an origin' }),
  needsSecondPerson: async (_, { add }) => add.length > 0,
  async describe({ ledger, settings }, { add, remove, ...input }) {
    const changed = await findApplication(ledger, input.application);
    changedOrigins(changed.origins, { add, remove }, settings.environment);
    return `Let the pages of ${add.join(', ') || 'no further origin'} in, and those of ${remove.join(', ') || 'none'} no more, for ${nameOf(changed)}`;
  },
  carryOut: async ({ ledger, settings }, { add, remove, ...input }) => ({
    id: input.application,
    origins: await changeOrigins(ledger, input.application, { add, remove }, settings.environment),
  }),
});

/** Everything by which the application gets at data or tokens, for the second person. */
function describeRegistration(registration: ApplicationRegistration): string {
  const { kind, name, owner, permission, isReadOnly, redirectUris, origins, isConfidential, refreshNeedsSecret } = registration;
  const { privacyPolicyUrl, termsUrl } = registration;
  const power = permission === 'write' ? ', which may also place orders and change data' : '';
  const limit = isReadOnly === true ? ', which may only read' : '';
  const client = kind === 'authorization_code' ? (isConfidential === true ? ' with a secret' : ' without a secret') : '';
  const refreshes = refreshNeedsSecret === true ? ', which its refreshes need' : '';
  const owned = owner === undefined ? '' : `, owned by ${owner}`;
  const redirects = redirectUris.length === 0 ? '' : `. Users come back to ${redirectUris.join(', ')}`;
  const pages = origins.length === 0 ? '' : `. The pages of ${origins.join(', ')} may call the API for it`;
  const privacy = privacyPolicyUrl === undefined ? '' : `. Its privacy policy is ${privacyPolicyUrl}`;
  const terms = termsUrl === undefined ? '' : `. Its terms are ${termsUrl}`;
  // In quotation marks, which it cannot end: whoever asks chooses it.
  return `Register the application ${JSON.stringify(name)} of the kind ${kind}${client}${refreshes}${owned}${power}${limit}${redirects}${pages}${privacy}${terms}`;
}

function nameOf({ id, name, kind, owner }: Awaited<ReturnType<typeof findApplication>>): string {
  return `the application ${JSON.stringify(name)} (${kind}, ${id}, owned by ${owner})`;
}

function timeOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
