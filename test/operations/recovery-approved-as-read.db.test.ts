import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestConsole, type TestConsole, type TestOperator } from '../console/support/test-console.ts';
import { createPaymentsLedger, type PaymentsLedger, randomHash } from '../ledger/bank/payments-ledger.ts';
import { unknownIssue } from './twins/recovery-twins.ts';
import { reason } from './twins/twin.ts';

let payments: PaymentsLedger;
let console: TestConsole;
let [asker, second] = [] as unknown as [TestOperator, TestOperator];
beforeAll(async () => {
  payments = await createPaymentsLedger();
  console = await createTestConsole({ env: { FOUR_EYES: 'yes', CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` }, url: payments.url });
  asker = await console.signedIn('administrator');
  second = await console.signedIn('administrator');
});
afterAll(async () => {
  await console.close();
  await payments.close({ isBooked: false });
});

const preview = (verb: string, input: object) => asker.post(`/api/actions/${verb}/preview`, input);

it('an outcome is not offered for an order that does not wait, or not with the same amount', async () => {
  const { order } = await payments.credited();
  const [other, same] = [await unknownIssue(payments, randomUUID(), '777'), await unknownIssue(payments, randomUUID())];
  const refused = { code: 'not_possible', message: expect.stringContaining('no open issue of an order that waits') as string };
  expect((await preview('recovery.accept', { outcome: other, order })).json).toMatchObject(refused);
  expect((await preview('recovery.accept', { outcome: same, order })).status).toBe(200);
  await payments.settle(order, 'issue', randomHash());
  expect((await preview('recovery.accept', { outcome: same, order })).json).toMatchObject(refused);
});

it('what is set aside exists', async () => {
  const [outcome, payment, nothing] = [await unknownIssue(payments, randomUUID(), '778'), randomUUID(), randomUUID()];
  await payments.ledger.insertInto('unknownPaymentStatuses').values({ payment, verdict: 'open', code: 'ACSP', reason: '' }).execute();
  const { json } = await preview('recovery.set-aside', { ids: [outcome, payment], reason });
  for (const part of [outcome, `the payment ${payment}, of which the bank has said ACSP`]) expect(json.description).toContain(part);
  expect((await preview('recovery.set-aside', { ids: [outcome, nothing], reason })).json).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(nothing) as string,
  });
});

it('held orders are released of a profile that exists, which the sentence names', async () => {
  const input = { chain: 'chiado', reason };
  expect((await preview('orders.release', { ...input, profile: randomUUID() })).json).toMatchObject({ code: 'not_found' });
  const { json } = await preview('orders.release', { ...input, profile: payments.customer.profile });
  expect(json.description).toContain(`the profile ${payments.customer.profile} (Anna Karlsson)`);
});

it('a recovery is applied only with the payments that the second person read of', async () => {
  const first = await payments.burnt({ amount: 1_111n });
  const asked = await asker.act('recovery.apply', {});
  const { description } = (await second.get(`/api/approvals/${asked.json.approval as string}`)).json;
  expect(description).toContain('make 1 payments, by which 11.11 EUR are to be paid');
  // Another one of the same amount is due instead.
  await payments.ledger
    .updateTable('openLegs')
    .set({ heldUntil: new Date(Date.now() + 3_600_000), heldFor: 'dust' })
    .where('orderId', '=', first.order)
    .execute();
  await payments.burnt({ amount: 1_111n });
  expect(await second.decide(asked.json.approval as string)).toMatchObject({ status: 409, json: { code: 'not_as_shown' } });
});
