import { createRoute, z } from '@hono/zod-openapi';
import type { Caller } from '../../ledger/access/permissions.ts';
import { listProfiles } from '../../ledger/customers/profiles.ts';
import { findUser, type User } from '../../ledger/access/users.ts';
import type { AddRoutes } from '../api.ts';
import { nextLink } from '../http/list-answer.ts';
import { notAuthenticated } from '../http/errors.ts';
import { json, errorResponses, bearerAccess, totalHeader, linkHeader } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';

const profileSchema = z.object({
  id: output.uuid.openapi({ description: 'Id of the profile.' }),
  kind: z.enum(['personal', 'corporate']).openapi({ description: 'A person or a company.' }),
  name: z.string().openapi({ description: 'The name of the customer; empty before the details are submitted.' }),
  state: z
    .enum(['created', 'incomplete', 'pending', 'approved', 'rejected'])
    .openapi({ description: 'Where the customer stands in onboarding. Only an `approved` profile receives an IBAN and places orders.' }),
});

const userContextSchema = z
  .object({
    userId: output.uuid.openapi({ description: 'Id of the user for whom the application acts; for a server, of its owner.' }),
    email: z.string().openapi({ description: 'Email address of the user.' }),
    name: z.string().openapi({ description: 'Name of the user.' }),
    roles: z.array(z.literal('admin')).openapi({ description: 'Always empty; kept for clients of this API family.' }),
    auth: z
      .object({
        method: z.enum(['password', 'resource', 'jwt', 'apiKey', 'bearer']).openapi({
          description: '`apiKey`: client credentials; `password`: sign-in on the hosted pages; `resource`: the signature of a wallet.',
        }),
        subject: z.string().openapi({ description: 'What was authenticated: the id of the application, an email address, or an address.' }),
        verified: z
          .boolean()
          .openapi({ description: 'Whether the user has proven who they are: their email address by a code, or the address that signed.' }),
      })
      .openapi({ description: 'How the caller authenticated.' }),
    defaultProfile: output.uuid.optional().openapi({ description: 'Id of the profile that applies where a request names none.' }),
    profiles: z
      .array(
        profileSchema.extend({
          perms: z
            .array(z.enum(['read', 'write']))
            .openapi({ description: 'What the application may do; without `write`, GET requests only.' }),
        }),
      )
      .openapi({
        description: 'The first 500 profiles that the application may act for, oldest first; the header `Link` leads to the others.',
      }),
  })
  .openapi('UserContext', { description: 'Who calls, and for whom they may act.' });

/** Profiles in the answer; `GET /profiles` has the others. */
const maxProfiles = 500;

const contextHeaders = linkHeader.extend(totalHeader.shape);

/** `GET /auth/context` (docs/api.md, User context). */
export const addUserContext: AddRoutes = (api, { settings, ledger }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/auth/context',
    ...bearerAccess('Authentication'),
    operationId: 'readUserContext',
    summary: 'Read who calls, and the profiles they may act for',
    description: 'The user behind the access token, how they authenticated, and the profiles that the application may read or act for.',
    middleware: guards.caller,
    responses: { 200: { ...json(userContextSchema, 'The caller.'), headers: contextHeaders }, ...errorResponses(401, 406) },
  });
  api.openapi(route, async (context) => {
    const { caller } = context.var;
    const [user, profiles] = await Promise.all([findUser(ledger, caller.user), listProfiles(ledger, caller, {}, { limit: maxProfiles })]);
    if (!user) throw notAuthenticated(context);
    context.header('X-Total-Count', String(profiles.total));
    if (profiles.next !== undefined) context.header('Link', nextLink(settings, { path: '/profiles', after: profiles.next }));
    const perms = [...caller.permissions];
    return context.json(
      {
        userId: user.id,
        email: user.email,
        name: user.name,
        roles: [],
        auth: authOf(caller, user),
        ...(caller.defaultProfile === null ? {} : { defaultProfile: caller.defaultProfile }),
        profiles: profiles.rows.map(({ id, kind, name, state }) => ({ id, kind, name, state, perms })),
      },
      200,
    );
  });
};

/** Client credentials are this family's API keys (docs/api.md, User context). */
function authOf({ application, authorization }: Caller, { emailVerifiedAt }: User): z.infer<typeof userContextSchema>['auth'] {
  const verified = emailVerifiedAt !== null;
  if (!authorization) return { method: 'apiKey', subject: application, verified };
  const { method, subject } = authorization;
  return { method, subject, verified: method === 'resource' || verified };
}
