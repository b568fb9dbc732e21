import { createHmac, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../src/webhooks/signature.ts';

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;

/**
 * The scheme once more, by its text alone (docs/api.md, Webhook signature): the signed string is id, timestamp and raw body with
 * points between; the key is what stands behind `whsec_`, decoded; the digest is HMAC-SHA256 in base64 behind `v1,`.
 */
function signatureByTheText(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.split('_')[1] as string, 'base64');
  const signed = Buffer.concat([Buffer.from(id), Buffer.from('.'), Buffer.from(timestamp), Buffer.from('.'), Buffer.from(body, 'utf8')]);
  return 'v1,'.concat(createHmac('sha256', key).update(signed).digest().toString('base64'));
}

describe('the signature of a delivery', () => {
  it('is the known one of a known message', () => {
    // The example that the scheme's own libraries test themselves with.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', sentAt: new Date(1_614_265_330_000) };
    expect(signatureHeaders(message, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('satisfies the reference verifier and the text, whatever the body, the id and the secret', () => {
    const message = fc.record({
      id: fc.uuid(),
      body: fc.string({ unit: 'grapheme', maxLength: 200 }),
      bytes: fc.integer({ min: 24, max: 64 }),
    });
    fc.assert(
      fc.property(message, ({ id, body, bytes }) => {
        const secret = newSecret(bytes);
        const headers = signatureHeaders({ id, body, sentAt: new Date() }, [secret]);
        new Webhook(secret).verify(body, headers, { jsonParse: false });
        expect(headers['webhook-signature']).toBe(signatureByTheText(secret, id, headers['webhook-timestamp'], body));
      }),
    );
  });

  it('is by each of two secrets, with a space between', () => {
    const secrets = [newSecret(), newSecret()];
    const headers = signatureHeaders({ id: 'a', body: '{}', sentAt: new Date() }, secrets);
    const expected = secrets.map((secret) => signatureByTheText(secret, 'a', headers['webhook-timestamp'], '{}'));
    expect(headers['webhook-signature']).toBe(expected.join(' '));
    for (const secret of secrets) expect(new Webhook(secret).verify('{}', headers)).toEqual({});
  });

  it('is of one id, one body, one second and one secret', () => {
    const secret = newSecret();
    const headers = signatureHeaders({ id: 'a', body: '{}', sentAt: new Date() }, [secret]);
    const verify =
      (changed: Record<string, string>, body = '{}', by = secret) =>
      () =>
        new Webhook(by).verify(body, { ...headers, ...changed });
    expect(verify({})).not.toThrow();
    expect(verify({ 'webhook-id': 'b' })).toThrow('No matching signature');
    expect(verify({}, '{ }')).toThrow('No matching signature');
    expect(verify({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) })).toThrow('No matching signature');
    expect(verify({}, '{}', newSecret())).toThrow('No matching signature');
  });

  it('counts whole seconds, downwards', () => {
    const sent = [1_999, 2_000].map((milliseconds) => signatureHeaders({ id: 'a', body: '', sentAt: new Date(milliseconds) }, []));
    expect(sent.map((headers) => headers['webhook-timestamp'])).toEqual(['1', '2']);
  });
});
