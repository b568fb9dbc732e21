import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { createClient } from '../../../client/index.ts';
import { until } from '../../support/until.ts';
import { type ConsoleWorld, hostile, payer } from './world.ts';

const secretPattern = /[\w-]{40,}/;
const credentialsPattern = /Client id([\da-f-]{36}).*Secret, shown only now([\w-]{43})/s;

/** Webhooks, applications and operators. */
export function administrationExercises(world: ConsoleWorld) {
  const { client, ledger, file, receiver, asker, byOne, byTwo, anna } = world;
  const applicationRow = async () => {
    await asker.open('/applications');
    return asker.row(hostile);
  };
  const operatorRow = async () => {
    await asker.open('/operators');
    return asker.row('cara');
  };
  const application: { id: string; secret: string } = { id: '', secret: '' };
  return {
    'webhooks.replay': async () => {
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      await client.post('/webhooks', { body: { url: receiver.url(`/${encodeURIComponent(hostile)}`), secret, types: ['order.created'] } });
      receiver.answerWith(503);
      await client.post('/sandbox/credits', { body: { iban: anna.iban, amount: '1.00', currency: 'eur', payer } });
      // A delivery is given up after twelve hours: this one was first tried then.
      await until('the delivery failed for good', async () => {
        await sql`update webhook_deliveries set attempts = 9, next_attempt_at = now() where state = 'pending' and attempts > 0`.execute(
          ledger,
        );
        return (await ledger.selectFrom('webhookDeliveries').where('state', '=', 'failed').select('id').executeTakeFirst())?.id;
      });
      await asker.open('/webhooks?state=failed');
      await asker.page.getByRole('row').filter({ hasText: 'answered 503' }).last().click();
      await asker.page.getByText('"type": "order.created"').waitFor();
      await byOne({ button: asker.button('Replay') });
      await until('it is failed again', async () => {
        await sql`update webhook_deliveries set attempts = 9, next_attempt_at = now() where state = 'pending' and attempts > 0`.execute(
          ledger,
        );
        return (await ledger.selectFrom('webhookDeliveries').where('state', '=', 'failed').select('id').executeTakeFirst())?.id;
      });
      receiver.answerWith(200);
      await asker.open('/webhooks');
      const outcome = await byOne({ button: asker.button('Replay failed') });
      expect(outcome).toContain('1 delivery is sent again.');
      await until('it is delivered', async () => receiver.accepted().length > 0 || undefined);
    },
    'applications.register': async () => {
      await asker.open('/applications');
      const outcome = await byTwo({
        button: asker.button('Register an application'),
        fill: async (dialog) => {
          await dialog.getByLabel('Kind').selectOption('whitelabel');
          await dialog.getByLabel('Name').fill(hostile.slice(0, 100));
          await dialog.getByLabel('Email address of the owner').fill('owner@example.com');
        },
      });
      const [, id = '', secret = ''] = credentialsPattern.exec(outcome) ?? [];
      Object.assign(application, { id, secret });
      expect(
        await createClient({ baseUrl: file.apiUrl, clientId: application.id, clientSecret: application.secret }).get('/profiles'),
      ).toMatchObject({});
    },
    'applications.origins': async () => {
      const row = await applicationRow();
      await byTwo({
        button: asker.button('Origins', row),
        fill: async (dialog) => dialog.getByLabel('Origins', { exact: true }).fill('https://shop.example'),
      });
      const { origins } = await ledger
        .selectFrom('applications')
        .where('id', '=', application.id)
        .select('origins')
        .executeTakeFirstOrThrow();
      expect(origins).toEqual(['https://shop.example']);
    },
    'applications.rotate-secret': async () => {
      const row = await applicationRow();
      const outcome = await byTwo({
        button: asker.button('Rotate secret', row),
        fill: (form) => form.getByLabel('End the old secret').check(),
      });
      expect(outcome).toMatch(secretPattern);
      await expect(
        createClient({ baseUrl: file.apiUrl, clientId: application.id, clientSecret: application.secret }).get('/profiles'),
      ).rejects.toThrow();
    },
    'applications.approve': async () => {
      // In the sandbox every application is valid at once; in production it waits.
      await sql`update applications set approved_at = null where id = ${application.id}`.execute(ledger);
      await byTwo({ button: asker.button('Approve', await applicationRow()) });
      const { approvedAt } = await ledger
        .selectFrom('applications')
        .where('id', '=', application.id)
        .select('approvedAt')
        .executeTakeFirstOrThrow();
      expect(approvedAt).not.toBeNull();
    },
    'applications.disable': async () => {
      await byOne({ button: asker.button('Disable', await applicationRow()) });
      const { disabledAt } = await ledger
        .selectFrom('applications')
        .where('id', '=', application.id)
        .select('disabledAt')
        .executeTakeFirstOrThrow();
      expect(disabledAt).not.toBeNull();
    },
    'operators.add': async () => {
      await asker.open('/operators');
      const outcome = await byTwo({
        button: asker.button('Add an operator'),
        fill: async (dialog) => dialog.getByLabel('Name').fill('cara'),
      });
      expect(outcome).toMatch(/\/invitation#[\w-]{40,}/);
    },
    'operators.role': async () => {
      await byTwo({
        button: asker.button('Role', await operatorRow()),
        fill: async (dialog) => dialog.getByLabel('Role').selectOption('reviewer'),
      });
      await asker.open('/operators');
      expect(await asker.row('cara').textContent()).toContain('reviewer');
    },
    'operators.reset': async () => {
      expect(await byTwo({ button: asker.button('Invite anew', await operatorRow()) })).toMatch(/\/invitation#[\w-]{40,}/);
    },
    'operators.disable': async () => {
      await byOne({ button: asker.button('Disable', await operatorRow()) });
      await asker.open('/operators');
      expect(await asker.row('cara').textContent()).toContain('disabled');
    },
    'operators.enable': async () => {
      expect(await byTwo({ button: asker.button('Enable', await operatorRow()) })).toMatch(/\/invitation#[\w-]{40,}/);
      await asker.open('/operators');
      expect(await asker.row('cara').textContent()).toContain('invited');
    },
  };
}
