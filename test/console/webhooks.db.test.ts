import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { createSubscription, deleteSubscription } from '../../src/ledger/webhooks/subscriptions.ts';
import { testSealer } from '../support/test-sealer.ts';
import { newSecret } from '../support/webhooks/webhook-ledger.ts';
import { useTestConsole } from './support/test-console.ts';

const console = useTestConsole();
let subscription: string;
let application: string;
const secret = newSecret();

beforeAll(async () => {
  const { ledger } = console;
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  ({ id: application } = await createApplication(ledger, { kind: 'whitelabel', name: '<b>Partner</b>', owner }));
  const profile = await createProfile(ledger, { kind: 'personal', name: 'Jón Jónsson', state: 'approved', application });
  const url = 'https://shop.example/hooks/s3cret-path';
  ({ id: subscription } = await createSubscription(ledger, testSealer, application, { url, secret, types: ['profile.updated'] }));
  for (let count = 0; count < 3; count += 1) {
    const data = { id: profile, kind: 'personal', name: 'Jón Jónsson', state: 'approved' };
    await sql`insert into events (type, profile, subject, data) values ('profile.updated', ${profile}, ${profile}, ${JSON.stringify(data)}::jsonb)`.execute(
      ledger,
    );
  }
  await dispatchEvents(ledger, 10);
  await fail();
});

const fail = () =>
  sql`update webhook_deliveries set state = 'failed', attempts = 9, ended_at = now(), last_status = 503, last_error = 'answered 503',
    history = ${JSON.stringify([{ at: new Date().toISOString(), status: 503, error: 'answered 503', duration: 7 }])}::jsonb`.execute(
    console.ledger,
  );

describe('the webhooks of the console', () => {
  it('show subscriptions and deliveries to everybody, bodies and paths to those who handle money, and secrets to nobody', async () => {
    for (const [role, seesContent] of [
      ['viewer', false],
      ['reviewer', false],
      ['treasurer', true],
      ['administrator', true],
    ] as const) {
      const operator = await console.signedIn(role);
      const subscriptions = await operator.get('/api/webhooks/subscriptions');
      expect(subscriptions.json.subscriptions).toMatchObject([
        { id: subscription, applicationName: '<b>Partner</b>', origin: 'https://shop.example', failed: 3, lastError: 'answered 503' },
      ]);
      expect(subscriptions.text.includes('s3cret-path')).toBe(seesContent);
      const { json: list } = await operator.get(`/api/webhooks/deliveries?subscription=${subscription}&state=failed`);
      expect(list).toMatchObject({ total: 3, rows: [{ state: 'failed', attempts: 9, lastStatus: 503, lastDurationMs: 7 }, {}, {}] });
      const one = await operator.get(`/api/webhooks/deliveries/${list.rows[0].id}`);
      expect(one.json).toMatchObject({ type: 'profile.updated', history: [{ status: 503, duration: 7 }] });
      expect(one.text.includes('Jón')).toBe(seesContent);
      for (const { text } of [subscriptions, one]) expect(text).not.toContain(secret);
    }
    const viewer = await console.signedIn('viewer');
    expect(await viewer.get(`/api/webhooks/deliveries/${randomUUID()}`)).toMatchObject({ status: 404 });
    expect(await viewer.get('/api/webhooks/deliveries?state=lost')).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  });

  it('are replayed by a treasurer, one or all that failed', async () => {
    const treasurer = await console.signedIn('treasurer');
    const { rows: deliveries } = (await treasurer.get('/api/webhooks/deliveries?state=failed')).json;
    const preview = await treasurer.post('/api/actions/webhooks.replay/preview', { deliveries: [deliveries[0].id] });
    expect(preview.json.description).toMatch(/^Send the event profile\.updated of .* to https:\/\/shop\.example again/);
    expect(preview.text).not.toContain('s3cret-path');
    expect((await treasurer.act('webhooks.replay', { deliveries: [deliveries[0].id] })).json).toMatchObject({
      result: { replayed: [deliveries[0].id] },
    });
    const { json: all } = await treasurer.act('webhooks.replay', { subscription });
    expect(all.result).toEqual({ replayed: expect.toSatisfy((ids: string[]) => ids.length === 2) as string[], hasMore: false });
    expect((await treasurer.act('webhooks.replay', { subscription })).json).toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('Nothing is sent again') as string,
    });
    for (const wrong of [{}, { subscription, deliveries: [deliveries[0].id] }])
      expect((await treasurer.act('webhooks.replay', wrong)).json).toMatchObject({ code: 'invalid_request' });
    expect((await treasurer.get('/api/webhooks/deliveries?state=pending')).json.total).toBe(3);
    expect((await treasurer.act('webhooks.replay', { deliveries: [randomUUID()] })).json).toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('Nothing is sent again') as string,
    });
  });

  it('say whose a delivery was when its subscription is deleted', async () => {
    await deleteSubscription(console.ledger, application, subscription);
    const viewer = await console.signedIn('viewer');
    expect((await viewer.get('/api/webhooks/subscriptions')).json.subscriptions).toEqual([]);
    const { rows: deliveries } = (await viewer.get('/api/webhooks/deliveries')).json;
    expect(deliveries).toMatchObject([1, 2, 3].map(() => ({ applicationName: '<b>Partner</b>' })));
    const one = await viewer.get(`/api/webhooks/deliveries/${deliveries[0].id}`);
    expect(one.json).toMatchObject({ applicationName: '<b>Partner</b>' });
  });
});
