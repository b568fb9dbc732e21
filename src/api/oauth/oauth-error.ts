import { z } from '@hono/zod-openapi';
import { errorSchema, json } from '../http/responses.ts';

const oauthErrorSchema = errorSchema
  .extend({ error: z.string().openapi({ description: 'RFC 6749, sections 4.1.2.1 and 5.2' }), error_description: z.string() })
  .openapi('OAuthError');

/** Documents an error in the API's own shape with the fields of RFC 6749 added. */
export function oauthErrorResponse(description: string) {
  return json(oauthErrorSchema, description);
}
