import { createRoute, z } from '@hono/zod-openapi';
import { baseUrl } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { json } from '../http/responses.ts';

const strings = z.array(z.string());

/** Public clients have `none` (docs/api.md, Applications). */
const authenticationMethods = ['none', 'client_secret_post'];

const metadataSchema = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    revocation_endpoint: z.url().openapi({ description: 'where a client revokes a token (RFC 7009)' }),
    response_types_supported: strings,
    response_modes_supported: strings,
    grant_types_supported: strings,
    token_endpoint_auth_methods_supported: strings,
    revocation_endpoint_auth_methods_supported: strings.openapi({
      description: 'how a client authenticates there, as at the token endpoint',
    }),
    code_challenge_methods_supported: strings,
    authorization_response_iss_parameter_supported: z.literal(true),
    service_documentation: z.url(),
  })
  .openapi('AuthorizationServer');

/** `GET /.well-known/oauth-authorization-server`: metadata by which OAuth clients configure themselves (RFC 8414; RFC 9207). */
export const addMetadata: AddRoutes = (api, { settings }) => {
  const route = createRoute({
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    tags: ['Authentication'],
    summary: 'Metadata of this authorization server',
    responses: { 200: json(metadataSchema, 'RFC 8414') },
  });
  const issuer = baseUrl(settings);
  const body = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/auth/token`,
    revocation_endpoint: `${issuer}/auth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true as const,
    service_documentation: `${issuer}/docs`,
  };
  api.openapi(route, (context) => context.json(body, 200));
};
