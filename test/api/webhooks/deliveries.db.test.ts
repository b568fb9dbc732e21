import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordAttempt } from '../../../src/ledger/webhooks/attempts.ts';
import { claimDeliveries } from '../../../src/ledger/webhooks/claims.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { createSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { newSecret } from '../../support/webhooks/webhook-ledger.ts';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let caller: Partner;
let subscription: string;
const unknown = randomUUID();

beforeAll(async () => {
  caller = await api.partner('whitelabel');
  const given = { url: 'https://example.com/hook', secret: newSecret(), types: ['profile.updated' as const, 'profile.error' as const] };
  subscription = (await createSubscription(api.ledger, testSealer, caller.clientId, given)).id;
  const profile = (await caller.post('/profiles', { kind: 'personal' })).json.id as string;
  for (const type of ['profile.updated', 'profile.error', 'profile.updated'])
    await api.ledger.insertInto('events').values({ type, profile, subject: profile, data: '{}' }).execute();
  await dispatchEvents(api.ledger, 100);
  const { claimed } = await claimDeliveries(api.ledger, testSealer, {
    limit: 1,
    failingLimit: 1,
    slots: [],
    otherSlots: 1,
    leaseSeconds: 60,
  });
  const attempt = { at: new Date().toISOString(), status: 503, error: 'answered 503', duration: 12 };
  for (const claim of claimed) await recordAttempt(api.ledger, claim, attempt, 'failed');
});

const list = async (query = '') => caller.get(`/webhooks/${subscription}/deliveries${query}`);
const replay = async (delivery: string, id = subscription) => caller.post(`/webhooks/${id}/deliveries/${delivery}/replay`, undefined);
const idsOf = async (query = '') => (await list(query)).json.deliveries.map(({ id }: { id: string }) => id) as string[];

describe('GET /webhooks/{subscription}/deliveries', () => {
  it('shows each delivery with its attempts and why they failed', async () => {
    const { json } = await list('?state=failed');
    expect(json).toEqual({
      total: 1,
      deliveries: [
        {
          id: expect.any(String),
          event: expect.any(String),
          type: 'profile.updated',
          subject: expect.any(String),
          state: 'failed',
          attempts: 1,
          history: [{ at: expect.any(String), status: 503, error: 'answered 503', duration: 12 }],
          meta: { createdAt: expect.any(String), endedAt: expect.any(String) },
        },
      ],
    });
  });

  it('is narrowed by state and type, and read in pages, the latest first', async () => {
    expect((await list('?type=profile.error')).json.total).toBe(1);
    expect((await list('?state=pending&type=profile.updated')).json.total).toBe(1);
    const all = await idsOf();
    expect(all).toHaveLength(3);
    const [first = ''] = await idsOf('?limit=1');
    expect([first, ...(await idsOf(`?limit=2&after=${first}`))]).toEqual(all);
    expect((await list('?state=lost')).json.errors).toEqual({ state: 'must be one of pending, delivered, failed, cancelled' });
    expect((await list(`?after=${unknown}`)).json.errors).toEqual({ after: 'is not a delivery of this subscription' });
  });
});

describe('POST /webhooks/{subscription}/deliveries/{delivery}/replay', () => {
  it('lets a delivery that was given up begin anew, and is recorded', async () => {
    const [failed = ''] = await idsOf('?state=failed');
    expect(await replay(failed)).toMatchObject({ status: 202, json: { code: 202, status: 'Accepted' } });
    const row = await api.ledger.selectFrom('webhookDeliveries').where('id', '=', failed).selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'pending', attempts: 0, endedAt: null });
    const entry = await api.ledger.selectFrom('auditLog').where('subject', '=', failed).selectAll().executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ action: 'webhook.replay', actorKind: 'application', actor: caller.clientId });
  });

  it('knows no delivery of another subscription, and sends nothing to one that is inactive', async () => {
    const given = { url: 'https://example.com/', secret: newSecret(), types: [] };
    const { id } = await createSubscription(api.ledger, testSealer, caller.clientId, given);
    const [delivery = ''] = await idsOf();
    expect((await replay(delivery, id)).status).toBe(404);
    await caller.patch(`/webhooks/${subscription}`, { state: 'inactive' });
    expect(await replay(delivery)).toMatchObject({ status: 409, json: { message: expect.stringContaining('is inactive: activate it') } });
  });
});
