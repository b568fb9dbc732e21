import type { Context } from 'hono';
import type { ApiEnv } from '../api.ts';
import { invalid } from './errors.ts';

/** Far more than any form has; clients may send parameters that are unknown here. */
const maxParameters = 200;

/**
 * Reads the body of a request as a form. It is parsed only if it has few parameters: anybody may send 256 kB, which is room for 100,000.
 * Throws `invalid_request`.
 */
export async function readFormBody(context: Context<ApiEnv>): Promise<URLSearchParams> {
  const type = context.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw invalid({ body: 'must be sent with the header Content-Type: application/x-www-form-urlencoded' });
  const text = await context.req.text();
  if (text.split('&', maxParameters + 1).length > maxParameters) throw invalid({ body: `must have at most ${maxParameters} parameters` });
  return new URLSearchParams(text);
}
