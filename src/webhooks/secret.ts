import { StopError } from '../platform/errors.ts';

/** Bytes of a secret (docs/api.md, Subscriptions). */
const minBytes = 24;
const maxBytes = 64;

/** A secret as Standard Webhooks writes it, in base64 (RFC 4648, section 4), of which some leave out the padding. */
const secretPattern = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The key in a subscription's secret: `whsec_` and the base64 of 24 to 64 bytes. Throws `invalid_request` under
 * `errors.secret` for anything else, without repeating the text (docs/api.md, Subscriptions).
 */
export function secretKey(secret: string): Buffer {
  const encoded = secretPattern.exec(secret)?.[1] ?? '';
  const key = Buffer.from(encoded, 'base64');
  // Node ignores what it cannot decode: the text was decoded completely only if the key encodes to it again.
  const isWhole = [encoded, encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')].includes(key.toString('base64'));
  if (isWhole && key.length >= minBytes && key.length <= maxBytes) return key;
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields: { secret: 'Invalid secret: unable to decode' } });
}
