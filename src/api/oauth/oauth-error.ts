import { z } from '@hono/zod-openapi';
import type { ErrorCode } from '../../platform/error-catalogue.ts';
import { errorResponse, errorSchema } from '../http/responses.ts';

const oauthErrorSchema = errorSchema
  .extend({
    error: z.string().openapi({ description: 'The error by its name in RFC 6749, sections 4.1.2.1 and 5.2.', example: 'invalid_request' }),
    error_description: z.string().openapi({ description: 'What happened, for the developer of the client: printable ASCII.' }),
  })
  .openapi('OAuthError', {
    description: 'An error of the authorization, token and revocation endpoints: that of the API with the fields of RFC 6749.',
  });

/** Documents an error in the API's own shape with the fields of RFC 6749 added. */
export function oauthErrorResponse(description: string, ...codes: ErrorCode[]) {
  return { ...errorResponse(codes, description), content: { 'application/json': { schema: oauthErrorSchema } } };
}

/** Documents the answer to a client that could not prove itself by the header `Authorization` (RFC 6749, section 5.2). */
export const failedByHeader = {
  ...oauthErrorResponse('The client could not be authenticated by HTTP Basic.', 'invalid_client'),
  headers: { 'WWW-Authenticate': { description: 'The scheme `Basic`.', schema: { type: 'string' as const } } },
};
