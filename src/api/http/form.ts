import type { Context } from 'hono';
import { utf8Problem } from '../../platform/http/utf8.ts';
import type { ApiEnv } from '../api.ts';
import { invalid, unsupportedType } from './errors.ts';

/** Far more than any form has; clients may send parameters that are unknown here. */
const maxParameters = 200;

/**
 * Reads the body of a request as a form. It is parsed only if it has few parameters: anybody may send 256 kB to the pages, which is room for 100,000.
 * Throws `unsupported_media_type` and `invalid_request`.
 */
export async function readFormBody(context: Context<ApiEnv>): Promise<URLSearchParams> {
  const type = context.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw unsupportedType({ body: 'must be sent with the header Content-Type: application/x-www-form-urlencoded' });
  const problem = utf8Problem(await context.req.arrayBuffer());
  if (problem !== undefined) throw invalid({ body: problem });
  const text = await context.req.text();
  const parameters = text.split('&', maxParameters + 1);
  if (parameters.length > maxParameters) throw invalid({ body: `must have at most ${maxParameters} parameters` });
  for (const parameter of parameters) requireEncodedUtf8(parameter);
  return new URLSearchParams(text);
}

/** The parameters of a URL's query. Throws `invalid_request` for one that is not UTF-8. */
export function readQuery(url: string): URLSearchParams {
  const { search, searchParams } = new URL(url);
  for (const parameter of search.slice(1).split('&')) requireEncodedUtf8(parameter);
  return searchParams;
}

/** Octets above ASCII that stand together: characters of UTF-8, unless they are of another encoding. */
const encodedOctets = /(?:%[89a-f][0-9a-f])+/gi;

/** URLSearchParams would put U+FFFD for octets that are not UTF-8 (RFC 3986, section 2.5). Throws `invalid_request` by the name of the parameter. */
function requireEncodedUtf8(parameter: string): void {
  try {
    for (const [octets] of parameter.matchAll(encodedOctets)) decodeURIComponent(octets);
  } catch {
    const [name = 'body'] = new URLSearchParams(parameter).keys();
    throw invalid({ [name]: 'must be percent-encoded UTF-8' });
  }
}
