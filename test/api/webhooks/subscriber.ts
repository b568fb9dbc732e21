import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { type ReceivedDelivery, startWebhookReceiver } from '../../support/webhooks/receiver.ts';

export const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;

export const invalid = (errors: Record<string, string>) => ({
  code: 400,
  status: 'Bad Request',
  message: 'Validation errors',
  reason: 'invalid_request',
  errors,
});

/** A partner, the facade that it asks, and a receiver of its own on loopback. */
export async function createSubscriber() {
  const api = await createTestApi();
  const receiver = await startWebhookReceiver();
  const caller = await api.partner('whitelabel');
  return {
    api,
    receiver,
    caller,
    /** Forgets all subscriptions and deliveries; the receiver accepts. */
    async reset() {
      receiver.answerWith(200);
      receiver.received.length = 0;
      for (const table of ['webhookDeliveries', 'webhookSubscriptions'] as const) await api.ledger.deleteFrom(table).execute();
    },
    remove: (id: string) => api.send('DELETE', `/webhooks/${id}`, { headers: caller.headers }),
    listed: async (of: Partner = caller) => (await of.get('/webhooks')).json,
    /** A subscription that the receiver has accepted. */
    async subscribe(given: Record<string, unknown> = {}, by: Partner = caller) {
      const secret = newSecret();
      const { status, json } = await by.post('/webhooks', { url: receiver.url(), secret, ...given });
      expect(status, JSON.stringify(json)).toBe(201);
      receiver.received.length = 0;
      return { ...(json as { id: string; url: string; types: string[]; state: string }), secret };
    },
    /** The one delivery that the receiver got, when it is signed by all of these secrets and no other. */
    onlyDelivery(...secrets: string[]): { type: string; timestamp: string } {
      expect(receiver.received).toHaveLength(1);
      const [{ headers, body }] = receiver.received as [ReceivedDelivery];
      for (const secret of secrets) new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(String(headers['webhook-signature']).split(' ')).toHaveLength(secrets.length);
      return JSON.parse(body) as { type: string; timestamp: string };
    },
    rowOf: (id: string) => api.ledger.selectFrom('webhookSubscriptions').where('id', '=', id).selectAll().executeTakeFirstOrThrow(),
    /** A delivery that waits, of an event of the caller's profile. */
    async pendingDelivery(subscription: string): Promise<string> {
      const { rows } = await sql<{ id: string }>`
        with made as (
          insert into events (type, profile, subject, data) values ('iban.updated', ${caller.profile}, gen_random_uuid(), '{}') returning *
        )
        insert into webhook_deliveries (subscription, event, type, subject, sequence)
        select ${subscription}, id, type, subject, sequence from made returning id
      `.execute(api.ledger);
      return rows[0]?.id as string;
    },
    async close() {
      await receiver.close();
      await api.close();
    },
  };
}
