import { createRoute, z } from '@hono/zod-openapi';
import { baseUrl } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { errorResponses, json, openAccess } from '../http/responses.ts';

const url = (description: string) => z.url().openapi({ description });
const strings = (description: string) => z.array(z.string()).openapi({ description });

/** Public clients have `none` (docs/api.md, Applications). */
const authenticationMethods = ['none', 'client_secret_basic', 'client_secret_post'];

const metadataSchema = z
  .object({
    issuer: url('The base URL of the service. Redirects to clients carry it as `iss`.'),
    authorization_endpoint: url('Where a client sends its users to sign in.'),
    token_endpoint: url('Where a client exchanges a grant for tokens.'),
    revocation_endpoint: url('Where a client revokes a token (RFC 7009).'),
    response_types_supported: strings('What the authorization endpoint answers with: `code`.'),
    response_modes_supported: strings('How it answers: in the query of the redirect URI.'),
    grant_types_supported: strings('The grants that the token endpoint takes.'),
    token_endpoint_auth_methods_supported: strings('How a client authenticates at the token endpoint; public clients do not (`none`).'),
    revocation_endpoint_auth_methods_supported: strings('How a client authenticates at the revocation endpoint, as at the token endpoint.'),
    code_challenge_methods_supported: strings('Methods of PKCE: `S256` alone.'),
    authorization_response_iss_parameter_supported: z
      .literal(true)
      .openapi({ description: 'Redirects carry `iss`, and a client should compare it with `issuer` (RFC 9207).' }),
    service_documentation: url('The documentation of this service.'),
  })
  .openapi('AuthorizationServer', { description: 'Metadata of an authorization server (RFC 8414).' });

/** `GET /.well-known/oauth-authorization-server`: metadata by which OAuth clients configure themselves (RFC 8414; RFC 9207). */
export const addMetadata: AddRoutes = (api, { settings }) => {
  const route = createRoute({
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    ...openAccess('Authentication'),
    operationId: 'readAuthorizationServer',
    summary: 'Read the metadata of the authorization server',
    description: 'OAuth clients configure themselves by it (RFC 8414). It needs no bearer token.',
    responses: { 200: json(metadataSchema, 'The metadata.'), ...errorResponses() },
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
