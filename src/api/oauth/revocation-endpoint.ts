import { createRoute, z } from '@hono/zod-openapi';
import { authenticateApplication } from '../../ledger/access/applications/authenticate-application.ts';
import { findClient } from '../../ledger/access/applications/clients.ts';
import { revokeToken } from '../../ledger/access/token-revocation.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AddRoutes } from '../api.ts';
import { fieldMessages } from '../http/errors.ts';
import { emptySchema, errorResponses, json } from '../http/responses.ts';
import { clientAuthentication, clientFields, inHeader, readClientParameters, secretField } from './client-parameters.ts';
import { type GrantFailure, answerFailure, failedAuthentication, invalidParameters, missingAuthentication } from './grant-failure.ts';
import { failedByHeader, oauthErrorResponse } from './oauth-error.ts';

const revocationSchema = z.object({
  ...clientFields,
  token: secretField.openapi({ description: 'A refresh token, which ends with its whole grant, or an access token, which ends alone.' }),
  token_type_hint: z.string().optional().openapi({ description: 'Accepted and not needed: both kinds of token are looked for.' }),
});

type Revocation = z.infer<typeof revocationSchema>;

const documented = revocationSchema
  .partial(inHeader)
  .openapi('Revocation', { description: 'The token to revoke, and the client that got it.' });

const route = createRoute({
  method: 'post',
  path: '/auth/revoke',
  tags: ['Authentication'],
  operationId: 'revokeToken',
  summary: 'Revoke a token',
  description:
    'Ends a refresh token with every token of its grant, or an access token alone (RFC 7009). A token that is not known is answered in the ' +
    'same way, because it is worth nothing already. A revoked access token may work for three seconds more.',
  request: { body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: documented } } } },
  ...clientAuthentication,
  responses: {
    ...errorResponses(406, 413, 415),
    200: json(emptySchema, 'The token is worth nothing any more.'),
    400: oauthErrorResponse(
      'The client could not be authenticated, or the token was issued to another client.',
      'invalid_request',
      'invalid_client',
      'invalid_grant',
    ),
    401: failedByHeader,
  },
});

/** `POST /auth/revoke` (docs/api.md, Revocation; RFC 7009). */
export const addRevocationEndpoint: AddRoutes = (api, { ledger }, guards) => {
  // Not through `openapi()`: errors have the body of the token endpoint's.
  api.openAPIRegistry.registerPath(route);
  api.on('POST', [route.path], ...guards.anyone);
  api.post(route.path, async (context) => {
    const read = await readClientParameters(context);
    if ('error' in read) return answerFailure(context, read);
    const parsed = revocationSchema.safeParse(read.parameters);
    if (!parsed.success) return answerFailure(context, invalidParameters(fieldMessages(parsed.error.issues)));
    const failure = await revoke(ledger, parsed.data);
    return failure ? answerFailure(context, failure) : context.json({}, 200);
  });
};

async function revoke(ledger: Ledger, { client_id: id, client_secret, token }: Revocation): Promise<GrantFailure | undefined> {
  if (client_secret !== undefined) {
    if (!(await authenticateApplication(ledger, id, client_secret))) return failedAuthentication;
  } else {
    const client = await findClient(ledger, id);
    if (!client) return failedAuthentication;
    if (client.isConfidential) return missingAuthentication;
  }
  if ((await revokeToken(ledger, id, token)) === 'revoked') return undefined;
  return { error: 'invalid_grant', message: 'The token was issued to another client.' };
}
