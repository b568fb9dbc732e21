import { z } from '@hono/zod-openapi';
import { errorSchema, json } from '../http/responses.ts';

const body = errorSchema
  .extend({ error: z.string().openapi({ description: 'RFC 6749, sections 4.1.2.1 and 5.2' }), error_description: z.string() })
  .openapi('OAuthRefusal');

/** A refusal in the service's own shape with the fields of RFC 6749 beside it. */
export function oauthRefusal(description: string) {
  return json(body, description);
}
