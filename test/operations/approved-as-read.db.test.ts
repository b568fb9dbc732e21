import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import type { LowerAddress } from '../../src/platform/addresses.ts';
import { creditTo } from '../support/credits.ts';
import { forWholeFile } from '../support/for-whole-file.ts';
import { createTwoOperators } from './two-operators.ts';

const other = `0x${'7'.repeat(40)}` as LowerAddress;
const reason = 'The payer wrote to us';

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
  const refused = (more: object) => two.asker.post('/api/actions/bank.match/preview', { ...input, ...more });
  expect((await refused({})).json).toMatchObject({ code: 'not_possible', message: expect.stringContaining('is not assigned') as string });
  expect((await refused({ payment: randomUUID() })).json).toMatchObject({ fields: { payment: 'cannot be named beside `again`' } });
  expect((await refused({ again: undefined, iban: two.payments.customer.iban })).json).toMatchObject({ fields: { iban: 'needs `again`' } });
});

it('a credit is not offered as a repeat of what is not recorded, or of another amount', async () => {
  const [reference, smaller] = [await strayCredit(4_567n), await strayCredit(4_566n)];
  const preview = (of: string) => two.asker.post('/api/actions/bank.repeat/preview', { reference, amount: '45.67', of: [of] });
  expect((await preview('nonexisting')).json).toMatchObject({ code: 'not_found' });
  expect((await preview(smaller)).json).toMatchObject({ code: 'bad_input' });
  expect((await preview(await strayCredit(4_567n))).status).toBe(200);
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
  const { json } = await two.asker.post('/api/actions/applications.register/preview', input);
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

it('a new secret that would end the one before the old says so, and is not made when that was not read', async () => {
  const application = await newApplication();
  const third = await two.console.signedIn('administrator');
  const asked = await Promise.all([two.asker, third].map((operator) => operator.act('applications.rotate-secret', { application })));
  const [first, later] = asked.map(({ json }) => json.approval as string) as [string, string];
  expect(await two.second.decide(first)).toMatchObject({ status: 200 });
  expect(await two.second.decide(later)).toMatchObject({ status: 409, json: { code: 'not_as_shown' } });
  const { json } = await two.asker.post('/api/actions/applications.rotate-secret/preview', { application });
  expect(json.description).toMatch(/stays valid for 24 hours; the one before it, valid until \S+Z, ends now/);
});

it('a secret that two people want to end at once is replaced once', async () => {
  const application = await newApplication();
  const third = await two.console.signedIn('administrator');
  const asked = await Promise.all(
    [two.asker, third].map((operator) => operator.act('applications.rotate-secret', { application, atOnce: true })),
  );
  const [first, later] = asked.map(({ json }) => json.approval as string) as [string, string];
  expect(await two.second.decide(first)).toMatchObject({ status: 200 });
  expect(await two.second.decide(later)).toMatchObject({ status: 409, json: { code: 'not_as_shown' } });
});

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
