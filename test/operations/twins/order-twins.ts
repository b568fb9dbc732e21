import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { listAudit } from '../../../src/ledger/access/audit-log.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { recordBreach } from '../../../src/ledger/reserve/breaches.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { createSubscription, deleteSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { makeStuck } from '../../console/support/orders-of-all-kinds.ts';
import type { PaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import { creditOptions } from '../../statements/bank-rail.ts';
import { creditTo } from '../../support/credits.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { newSecret } from '../../support/webhooks/webhook-ledger.ts';
import { reason, type Twin } from './twin.ts';

/** A delivery to a partner that has failed for good. */
async function failedDelivery({ ledger }: PaymentsLedger): Promise<string> {
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  const { id: application } = await createApplication(ledger, { kind: 'whitelabel', name: 'Shop', owner });
  const profile = await createProfile(ledger, { kind: 'personal', name: 'Anna', state: 'approved', application });
  const target = { url: 'https://shop.example/hooks', secret: newSecret(), types: ['profile.updated' as const] };
  const { id: subscription } = await createSubscription(ledger, testSealer, application, target);
  const data = JSON.stringify({ id: profile, kind: 'personal', name: 'Anna', state: 'approved' });
  await ledger.insertInto('events').values({ type: 'profile.updated', profile, subject: profile, data }).execute();
  while ((await dispatchEvents(ledger, 100)).events > 0);
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set state = 'failed', attempts = 9, ended_at = now() where subscription = ${subscription} returning id
  `.execute(ledger);
  return rows[0]?.id as string;
}

export const orderTwins: Twin[] = [
  {
    verb: 'orders.give-back',
    guard: 'not_possible',
    async prepare(payments) {
      const order = await makeStuck(payments);
      return { input: { order, reason }, command: ['orders', 'give-back', order, '--reason', reason], audited: order };
    },
    async isDone({ ledger }, { audited }) {
      const entries = await listAudit(ledger, { subject: audited as string, limit: 10 });
      expect(entries).toContainEqual(expect.objectContaining({ action: 'order.give-back', detail: { reason } }));
    },
  },
  {
    verb: 'orders.release',
    async prepare({ ledger, customer }) {
      await recordCredits(ledger, [creditTo(customer.iban, 1n)], { ...creditOptions, source: 'test', dustWaitSeconds: 3_600 });
      return { input: { chain: 'chiado', reason }, command: ['orders', 'release', 'chiado', '--reason', reason], audited: 'chiado' };
    },
    async isDone({ ledger }) {
      const [newest] = await listAudit(ledger, { subject: 'chiado', limit: 1 });
      expect(newest).toMatchObject({ action: 'order.release', detail: { chain: 'chiado', reason } });
    },
  },
  {
    verb: 'reserve.acknowledge',
    guard: 'not_found',
    async prepare({ ledger }) {
      const account = `tokens:test-${randomUUID().slice(0, 8)}`;
      await recordBreach(ledger, { comparison: 'index', currency: 'usd', account, chain: 'gnosis' }, minorUnits(500n));
      const [items, named] = [
        ['6.00 forged in 0x12', '-1.00 rounded'],
        ['--comparison', 'index', '--account', account],
      ];
      const options = [...named, ...items.flatMap((item) => ['--item', item]), '--reason', reason];
      return {
        input: { comparison: 'index', currency: 'usd', account, items, books: false, reason },
        command: ['reconcile', 'acknowledge', 'usd', ...options],
        audited: 'usd',
      };
    },
  },
  {
    verb: 'webhooks.replay',
    guard: 'not_possible',
    async forbid({ ledger }, { audited }) {
      const { subscription, application } = await ledger
        .selectFrom('webhookDeliveries as d')
        .innerJoin('webhookSubscriptions as s', 's.id', 'd.subscription')
        .where('d.id', '=', audited as string)
        .select(['d.subscription', 's.application'])
        .executeTakeFirstOrThrow();
      await deleteSubscription(ledger, application, subscription);
    },
    async prepare(payments) {
      const delivery = await failedDelivery(payments);
      return { input: { deliveries: [delivery] }, command: ['webhook', 'replay', delivery], audited: delivery };
    },
  },
];
