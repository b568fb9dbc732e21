import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { createSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createCustomer } from '../customer.ts';
import { createTestDatabase } from '../database.ts';
import { testSealer } from '../test-sealer.ts';

export type WebhookLedger = Awaited<ReturnType<typeof createWebhookLedger>>;

type Types = Parameters<typeof createSubscription>[3]['types'];

export const allTypes: Types = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'];

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** A ledger with a partner that has one customer, and functions that record events of that customer. */
export async function createWebhookLedger() {
  const database = await createTestDatabase();
  const ledger: Ledger = createLedger(createPool({ connectionString: database.url, max: 20 }), wakesNobody);
  const manager = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  const partner = (await createApplication(ledger, { kind: 'whitelabel', name: 'Partner', owner: manager })).id;
  const profile = await createProfile(ledger, { kind: 'personal', name: 'Anna', state: 'approved', application: partner });

  return {
    database,
    ledger,
    manager,
    partner,
    profile,
    subscribe: async (url: string, { application = partner, secret = newSecret(), types = allTypes } = {}) =>
      (await createSubscription(ledger, testSealer, application, { url, secret, types })).id,
    /** An owner with a private application and a profile of their own. */
    async privateOwner() {
      const customer = await createCustomer(ledger, 'chiado');
      const { id } = await createApplication(ledger, { kind: 'private', name: 'Shop', owner: customer.user });
      return { ...customer, application: id };
    },
    /** Records an event of an order as the ledger does. Returns its id. */
    async orderEvent(order: string, type: 'order.created' | 'order.updated' = 'order.updated', of = profile) {
      const data = {
        id: order,
        kind: 'issue',
        profile: of,
        address: `0x${'ab'.repeat(20)}`,
        chain: 'chiado',
        currency: 'eur',
        amount: '1250',
      };
      const rest = { memo: 'Rent', referenceNumber: null, state: 'placed', placedAt: new Date().toISOString(), processedAt: null };
      const counterpart = { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: 'Jón' } };
      const end = { rejectedReason: null, supportingDocument: null, txHashes: [] };
      return insertEvent(ledger, type, of, order, { ...data, ...rest, counterpart, ...end });
    },
    profileEvent: (type: 'profile.updated' | 'profile.error' = 'profile.updated', of = profile) =>
      insertEvent(ledger, type, of, of, { id: of, kind: 'personal', name: 'Anna', state: 'approved' }),
    ibanEvent: (of = profile) =>
      insertEvent(ledger, 'iban.updated', of, randomUUID(), {
        iban: 'IS1',
        name: 'Anna',
        bic: 'B',
        profile: of,
        address: '0x1',
        chain: 'chiado',
      }),
    deliveries: () => ledger.selectFrom('webhookDeliveries').selectAll().orderBy('sequence').execute(),
    /** Deletes all events, subscriptions and deliveries. */
    clear: () => sql`truncate webhook_deliveries, webhook_subscriptions, events restart identity`.execute(ledger),
    async close() {
      await ledger.destroy();
      await database.drop();
    },
  };
}

async function insertEvent(ledger: Ledger, type: string, profile: string, subject: string, data: object): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into events (type, profile, subject, data, correlation_id)
    values (${type}, ${profile}, ${subject}, ${JSON.stringify(data)}::jsonb, 'a-request') returning id
  `.execute(ledger);
  return rows[0]?.id as string;
}
