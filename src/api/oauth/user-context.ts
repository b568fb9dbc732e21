import { createRoute, z } from '@hono/zod-openapi';
import type { Caller } from '../../ledger/access/permissions.ts';
import { listProfiles } from '../../ledger/customers/profiles.ts';
import { findUser } from '../../ledger/access/users.ts';
import type { AddRoutes } from '../api.ts';
import { notAuthenticated } from '../http/errors.ts';
import { json, errorResponses, bearerAccess } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';

const profileSchema = z.object({
  id: output.uuid,
  kind: z.enum(['personal', 'corporate']),
  name: z.string(),
  state: z.enum(['created', 'incomplete', 'pending', 'approved', 'rejected']),
});

const userContextSchema = z
  .object({
    userId: output.uuid,
    email: z.string(),
    name: z.string(),
    roles: z.array(z.literal('admin')),
    auth: z.object({ method: z.enum(['password', 'resource', 'jwt', 'apiKey', 'bearer']), subject: z.string(), verified: z.boolean() }),
    defaultProfile: output.uuid.optional(),
    profiles: z.array(profileSchema.extend({ perms: z.array(z.enum(['read', 'write'])) })),
  })
  .openapi('UserContext');

/** `GET /auth/context` (docs/api.md, User context). */
export const addUserContext: AddRoutes = (api, { ledger }, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/auth/context',
    ...bearerAccess('Authentication'),
    summary: 'Read the caller and the profiles it may act for',
    middleware: guards.caller,
    responses: { 200: json(userContextSchema, 'The caller'), ...errorResponses(401, 406) },
  });
  api.openapi(route, async (context) => {
    const { caller } = context.var;
    const [user, { rows: profiles }] = await Promise.all([findUser(ledger, caller.user), listProfiles(ledger, caller)]);
    if (!user) throw notAuthenticated();
    const perms = caller.authorization?.permissions ?? ['read' as const, 'write' as const];
    return context.json(
      {
        userId: user.id,
        email: user.email,
        name: user.name,
        roles: [],
        auth: authOf(caller),
        ...(caller.defaultProfile === null ? {} : { defaultProfile: caller.defaultProfile }),
        profiles: profiles.map(({ id, kind, name, state }) => ({ id, kind, name, state, perms })),
      },
      200,
    );
  });
};

/** Client credentials are this family's API keys (docs/api.md, User context). Nobody has verified that an email address is its user's. */
function authOf({ application, authorization }: Caller): z.infer<typeof userContextSchema>['auth'] {
  if (!authorization) return { method: 'apiKey', subject: application, verified: true };
  const { method, subject } = authorization;
  return { method, subject, verified: method === 'resource' };
}
