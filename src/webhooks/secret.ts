import { StopError } from '../platform/errors.ts';

/** Bytes of a secret (docs/api.md, Subscriptions). */
const leastBytes = 24;
const mostBytes = 64;

/** Base64 as Standard Webhooks has it: the alphabet of RFC 4648, section 4, with its padding. */
const shape = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The key in a subscription's secret: `whsec_` and the base64 of 24 to 64 bytes. Throws `invalid_request` under
 * `errors.secret` for anything else, and never says what was given (docs/api.md, Subscriptions).
 */
export function secretKey(secret: string): Buffer {
  const encoded = shape.exec(secret)?.[1] ?? '';
  const key = Buffer.from(encoded, 'base64');
  // Node decodes what it can and leaves the rest out: only what encodes to the same again was decoded wholly.
  if (key.toString('base64') === encoded && key.length >= leastBytes && key.length <= mostBytes) return key;
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields: { secret: 'Invalid secret: unable to decode' } });
}
