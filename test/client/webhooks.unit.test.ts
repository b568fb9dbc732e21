import * as fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { MintrailWebhookError, type Order, verifyWebhook } from '../../client/index.ts';

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
const secret = secretOf(32);
const body = JSON.stringify({ type: 'order.updated', timestamp: '2026-11-20T16:03:54Z', data: { id: 'one', memo: 'Jón' } });

/** A request's headers as the reference library of Standard Webhooks signs them. */
function signed({ by = secret, text = body, at = new Date(), id = 'evt_1' } = {}): Record<string, string> {
  const signature = new Webhook(by).sign(id, at, text);
  return { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)), 'webhook-signature': signature };
}

const refused = (headers: Record<string, string>, text = body) => expect(verifyWebhook(secret, headers, text)).rejects;

describe('verifyWebhook', () => {
  it('returns the event and its id', async () => {
    const event = await verifyWebhook(secret, signed(), body);
    expect(event).toEqual({ id: 'evt_1', ...JSON.parse(body) });
    if (event.type === 'order.updated') expectTypeOf(event.data).toEqualTypeOf<Order>();
  });

  it('agrees with the reference library on any text, secret and signature', async () => {
    const secrets = fc.integer({ min: 24, max: 64 }).map(secretOf);
    const spoil = fc.constantFrom('', '', 'v2', 'body', 'other secret', 'old');
    await fc.assert(
      fc.asyncProperty(fc.json(), secrets, spoil, async (json, by, spoilt) => {
        const text = JSON.stringify({ type: 'x', data: json });
        const headers = signed({
          by: spoilt === 'other secret' ? secretOf(24) : by,
          text: spoilt === 'body' ? `${text} ` : text,
          at: new Date(Date.now() - (spoilt === 'old' ? 301_000 : 0)),
        });
        if (spoilt === 'v2') headers['webhook-signature'] = headers['webhook-signature']?.replace('v1,', 'v2,') ?? '';
        const reference = await Promise.resolve()
          .then(() => new Webhook(by).verify(text, headers))
          .then(() => true)
          .catch(() => false);
        const ours = await verifyWebhook(by, headers, text).then(
          () => true,
          (error: unknown) => error instanceof MintrailWebhookError && false,
        );
        expect(ours).toBe(reference);
        expect(ours).toBe(spoilt === '');
      }),
    );
  });

  it('takes the headers of fetch and of Node, whatever their case', async () => {
    await verifyWebhook(secret, new Headers(signed()), body);
    const capitals = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    await verifyWebhook(secret, { ...capitals, host: ['a', 'b'], via: undefined }, body);
  });

  it('takes the body as bytes, which it does not decode before it has checked them', async () => {
    expect((await verifyWebhook(secret, signed(), new TextEncoder().encode(body))).type).toBe('order.updated');
  });

  it('accepts either secret while one replaces the other', async () => {
    const next = secretOf(32);
    await verifyWebhook([secret, next], signed({ by: next }), body);
    const headers = signed();
    headers['webhook-signature'] += ` ${signed({ by: next })['webhook-signature']}`;
    await verifyWebhook(next, headers, body);
    await verifyWebhook(secret, headers, body);
  });

  it('refuses a body that was changed, and a signature by another secret', async () => {
    await refused(signed(), `${body} `).toThrow('No signature of the event was made with a secret of the subscription');
    await refused(signed({ by: secretOf(32) })).toBeInstanceOf(MintrailWebhookError);
  });

  it.each([-301, 302])('refuses an event from %d seconds away', async (seconds) => {
    await refused(signed({ at: new Date(Date.now() + seconds * 1_000) })).toThrow('is not within five minutes of now');
  });

  it.each([-295, 295])('accepts an event from %d seconds away', async (seconds) => {
    await verifyWebhook(secret, signed({ at: new Date(Date.now() + seconds * 1_000) }), body);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('refuses a request without %s', async (name) => {
    await refused({ ...signed(), [name]: '' }).toThrow(`The request has no header ${name}`);
  });

  it.each(['v1,', 'v1,*', 'v1', 'v1a,AAAA', 'none'])('refuses "%s" for a signature', async (signature) => {
    await refused({ ...signed(), 'webhook-signature': signature }).toBeInstanceOf(MintrailWebhookError);
  });

  it('says that a secret is none, without showing it', async () => {
    await expect(verifyWebhook('whsec_***', signed(), body)).rejects.toThrow(new TypeError('A webhook secret must be whsec_ and base64'));
  });
});
