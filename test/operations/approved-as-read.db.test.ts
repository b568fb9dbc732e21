import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import type { LowerAddress } from '../../src/platform/addresses.ts';
import { creditTo } from '../support/credits.ts';
import { randomHash } from '../ledger/bank/payments-ledger.ts';
import { unknownIssue } from './twins/recovery-twins.ts';
import { forWholeFile } from '../support/for-whole-file.ts';
import { createTwoOperators } from './two-operators.ts';

const other = `0x${'7'.repeat(40)}` as LowerAddress;
const reason = 'The payer wrote to us';

const preview = (verb: string, input: object) => two.asker.post(`/api/actions/${verb}/preview`, input);
const two = forWholeFile(() => createTwoOperators({ isBooked: false }));

/** A credit to an account that nobody has. */
async function strayCredit(amount: bigint): Promise<string> {
  const credit = creditTo('DE89370400440532013000', amount);
  await recordCredits(two.payments.ledger, [credit], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] });
  return credit.reference;
}

async function newApplication(): Promise<string> {
  const owner = await createUser(two.payments.ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  return (await createApplication(two.payments.ledger, { kind: 'private', name: 'Partner', owner, approved: true })).id;
}

it('a credit that is matched against what it was taken for goes where the second person read that it goes, or nowhere', async () => {
  const { ledger, customer } = two.payments;
  const reference = await strayCredit(1_234n);
  const input = { reference, amount: '12.34', again: true, iban: customer.iban, reason };
  const asked = await two.asker.act('bank.match', input);
  expect(asked.status).toBe(202);
  const { description } = (await two.second.get(`/api/approvals/${asked.json.approval as string}`)).json;
  for (const part of ['Anna Karlsson', customer.profile, customer.address, 'chiado', 'another name than the holder', reason])
    expect(description).toContain(part);
  await ledger.insertInto('addresses').values({ address: other, profile: customer.profile }).execute();
  await ledger.insertInto('addressLinks').values({ address: other, chain: 'chiado', linkedBy: customer.user }).execute();
  await ledger.updateTable('ibans').set({ address: other }).where('iban', '=', customer.iban).execute();
  expect(await two.second.decide(asked.json.approval as string)).toMatchObject({ status: 409, json: { code: 'not_as_shown' } });
  expect(await two.payments.credit(reference)).toMatchObject({ state: 'unmatched', orderId: null });
});

it('a credit is not offered for an account that nobody has, nor with what does not belong beside it', async () => {
  const reference = await strayCredit(2_345n);
  const input = { reference, amount: '23.45', again: true, reason };
  const refused = (more: object) => preview('bank.match', { ...input, ...more });
  expect((await refused({})).json).toMatchObject({ code: 'not_possible', message: expect.stringContaining('is not assigned') as string });
  expect((await refused({ payment: randomUUID() })).json).toMatchObject({ fields: { payment: 'cannot be named beside `again`' } });
  expect((await refused({ again: undefined, iban: two.payments.customer.iban })).json).toMatchObject({ fields: { iban: 'needs `again`' } });
});

it('a credit is not offered as a repeat of what is not recorded, or of another amount', async () => {
  const [reference, smaller] = [await strayCredit(4_567n), await strayCredit(4_566n)];
  const repeats = (of: string) => preview('bank.repeat', { reference, amount: '45.67', of: [of] });
  expect((await repeats('nonexisting')).json).toMatchObject({ code: 'not_found' });
  expect((await repeats(smaller)).json).toMatchObject({ code: 'bad_input' });
  expect((await repeats(await strayCredit(4_567n))).status).toBe(200);
});

it('the second person reads where the texts of an application are', async () => {
  const urls = { privacyPolicyUrl: 'https://shop.example/privacy', termsUrl: 'https://shop.example/terms' };
  const input = {
    kind: 'authorization_code',
    name: 'Shop',
    owner: 'shop@example.com',
    redirectUris: ['https://shop.example/back'],
    ...urls,
  };
  const { json } = await preview('applications.register', input);
  for (const url of Object.values(urls)) expect(json.description).toContain(url);
});

it('a request that is made again while it is open is the same request, which is carried out once', async () => {
  const input = { kind: 'private', name: `Retry ${randomUUID()}`, owner: 'retry@example.com' };
  const ids = [];
  for (let time = 0; time < 2; time += 1) ids.push((await two.asker.act('applications.register', input)).json.approval as string);
  expect(ids[1]).toBe(ids[0]);
  expect((await two.second.act('applications.register', input)).json.approval).not.toBe(ids[0]);
  expect(await two.second.decide(ids[0] as string)).toMatchObject({ status: 200 });
  expect((await two.asker.act('applications.register', input)).json.approval).not.toBe(ids[0]);
  expect(await two.payments.ledger.selectFrom('applications').where('name', '=', input.name).select('id').execute()).toHaveLength(1);
});

it.each([false, true])(
  'a secret that two people want to replace is replaced once, for the second has not read of it (at once: %s)',
  async (atOnce) => {
    const application = await newApplication();
    const third = await two.console.signedIn('administrator');
    const input = { application, ...(atOnce && { atOnce }) };
    const asked = await Promise.all([two.asker, third].map((operator) => operator.act('applications.rotate-secret', input)));
    const [first, later] = asked.map(({ json }) => json.approval as string) as [string, string];
    expect(await two.second.decide(first)).toMatchObject({ status: 200 });
    expect(await two.second.decide(later)).toMatchObject({ status: 409, json: { code: 'not_as_shown' } });
    const { json } = await preview('applications.rotate-secret', { application });
    if (!atOnce) expect(json.description).toMatch(/stays valid for 24 hours; the one before it, valid until \S+Z, ends now/);
  },
);

it('a secret that was stolen ends at once, whatever else is asked for', async () => {
  const application = await newApplication();
  const input = { application, atOnce: false, stolenSince: new Date(Date.now() - 60_000).toISOString() };
  const { json } = await two.asker.act('applications.rotate-secret', input);
  const { description } = (await two.second.get(`/api/approvals/${json.approval as string}`)).json;
  expect(description).toContain('the old one and its tokens end at once');
  expect(await two.second.decide(json.approval as string)).toMatchObject({ status: 200, json: { result: { atOnce: true } } });
  const row = two.payments.ledger
    .selectFrom('applications')
    .where('id', '=', application)
    .select(['previousSecretHash', 'previousSecretUntil']);
  expect(await row.executeTakeFirstOrThrow()).toEqual({ previousSecretHash: null, previousSecretUntil: null });
});

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
