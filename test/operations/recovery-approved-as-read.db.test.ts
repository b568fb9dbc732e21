import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { randomHash } from '../ledger/bank/payments-ledger.ts';
import { unknownIssue } from './twins/recovery-twins.ts';
import { reason } from './twins/twin.ts';
import { forWholeFile } from '../support/for-whole-file.ts';
import { createTwoOperators } from './two-operators.ts';

const two = forWholeFile(() => createTwoOperators({ isBooked: false }));

const preview = (verb: string, input: object) => two.asker.post(`/api/actions/${verb}/preview`, input);

it('an outcome is not offered for an order that does not wait, or not with the same amount', async () => {
  const { order } = await two.payments.credited();
  const [other, same] = [await unknownIssue(two.payments, randomUUID(), '777'), await unknownIssue(two.payments, randomUUID())];
  const refused = { code: 'not_possible', message: expect.stringContaining('no open issue of an order that waits') as string };
  expect((await preview('recovery.accept', { outcome: other, order })).json).toMatchObject(refused);
  expect((await preview('recovery.accept', { outcome: same, order })).status).toBe(200);
  await two.payments.settle(order, 'issue', randomHash());
  expect((await preview('recovery.accept', { outcome: same, order })).json).toMatchObject(refused);
});

it('what is set aside exists', async () => {
  const [outcome, payment, nothing] = [await unknownIssue(two.payments, randomUUID(), '778'), randomUUID(), randomUUID()];
  await two.payments.ledger.insertInto('unknownPaymentStatuses').values({ payment, verdict: 'open', code: 'ACSP', reason: '' }).execute();
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
  const { json } = await preview('orders.release', { ...input, profile: two.payments.customer.profile });
  expect(json.description).toContain(`the profile ${two.payments.customer.profile} (Anna Karlsson)`);
});

it('a recovery is applied only with the payments that the second person read of', async () => {
  const first = await two.payments.burnt({ amount: 1_111n });
  const asked = await two.asker.act('recovery.apply', {});
  const { description } = (await two.second.get(`/api/approvals/${asked.json.approval as string}`)).json;
  expect(description).toContain('make 1 payments, by which 11.11 EUR are to be paid');
  // Another one of the same amount is due instead.
  await two.payments.ledger
    .updateTable('openLegs')
    .set({ heldUntil: new Date(Date.now() + 3_600_000), heldFor: 'dust' })
    .where('orderId', '=', first.order)
    .execute();
  await two.payments.burnt({ amount: 1_111n });
  expect(await two.second.decide(asked.json.approval as string)).toMatchObject({ status: 409, json: { code: 'not_as_shown' } });
});
