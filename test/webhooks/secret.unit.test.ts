import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StopError } from '../../src/platform/errors.ts';
import { secretKey } from '../../src/webhooks/secret.ts';

const of = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;

describe('a webhook secret', () => {
  it.each([24, 25, 26, 32, 63, 64])('of %d bytes is what its base64 says, with or without its padding', (bytes) => {
    const key = randomBytes(bytes);
    for (const padding of [/$/, /=*$/]) expect(secretKey(`whsec_${key.toString('base64').replace(padding, '')}`)).toEqual(key);
  });

  const sound = Buffer.alloc(32, 0xfb).toString('base64');
  it.each([
    ['no prefix', sound],
    ['another prefix', `whsk_${sound}`],
    ['a prefix in capitals', `WHSEC_${sound}`],
    ['nothing behind the prefix', 'whsec_'],
    ['nothing', ''],
    ['23 bytes', of(23)],
    ['65 bytes', of(65)],
    ['a megabyte', of(1_000_000)],
    ['too much padding', `whsec_${sound}=`],
    ['padding within', `whsec_${sound.slice(0, 8)}=${sound.slice(8)}`],
    ['the alphabet for URLs', `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}`],
    ['bits that no byte has', `whsec_${Buffer.alloc(32).toString('base64').replace(/A=$/, 'B=')}`],
    ['a space', `whsec_ ${sound}`],
    ['a line break behind', `whsec_${sound}\n`],
    ['hexadecimal of odd length', `whsec_${'ab'.repeat(24)}a`],
    ['characters of no alphabet', `whsec_${'€'.repeat(40)}`],
  ])('with %s is refused, in the words of the wire and without showing it', (_, secret) => {
    const refusal = () => secretKey(secret);
    expect(refusal).toThrow(StopError);
    expect(refusal).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'Validation errors',
        fields: { secret: 'Invalid secret: unable to decode' },
      }),
    );
  });
});
