import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIbanRange } from '../../../src/bank/iban-range.ts';
import { approveIbans, assignIbanNumbers } from '../../../src/ledger/customers/ibans.ts';
import { createWallet, linkBody, type Partner, type TestApi, createTestApi } from '../support/test-api.ts';
import { completed, newProfile } from './profiles-data.ts';
import { bankOrder } from '../orders/redeeming.ts';

let api: TestApi;
let partner: Partner;
beforeAll(async () => {
  api = await createTestApi();
  partner = await api.partner('whitelabel');
});
afterAll(() => api.close());

const { compose } = createIbanRange({ bankIbanCountry: 'IS', bankIbanPrefix: '0159' });

async function linkedWallet(profile: string) {
  const wallet = createWallet();
  expect((await partner.post('/addresses', { ...(await linkBody(wallet)), profile })).status).toBe(201);
  api.fund(wallet.address, 1_000n);
  return wallet;
}

const setState = (id: string, state: 'incomplete' | 'approved' | 'rejected') =>
  api.ledger.updateTable('profiles').set({ state }).where('id', '=', id).execute();

/** A customer in the given state: by the way that leads there. */
async function customer(state: string): Promise<string> {
  if (state === 'incomplete') return newProfile(partner);
  const id = await completed(api, partner);
  if (state === 'rejected') await partner.post(`/sandbox/profiles/${id}/reject`, {});
  return id;
}

describe.each(['incomplete', 'pending', 'rejected'])('a profile that is %s', (state) => {
  it('gets no IBAN', async () => {
    const id = await customer(state);
    const { address } = await linkedWallet(id);
    const { status, json } = await partner.post('/ibans', { address, chain: 'chiado' });
    const message = `Only an approved profile gets an IBAN: the profile ${id} is ${state}`;
    expect({ status, json }).toEqual({ status: 403, json: { code: 403, status: 'Forbidden', message, reason: 'profile_not_approved' } });
    expect(await api.ledger.selectFrom('ibans').where('profile', '=', id).selectAll().execute()).toEqual([]);
  });

  it('places no order', async () => {
    const id = await customer(state);
    const { status, json } = await partner.post('/orders', await bankOrder(await linkedWallet(id)));
    expect([status, json.message]).toEqual([403, `Only an approved profile may place orders: the profile ${id} is ${state}`]);
  });
});

describe('an approved profile', () => {
  it('gets an IBAN, places orders and receives issues, all after it was onboarded by the API', async () => {
    const id = await completed(api, partner);
    const wallet = await linkedWallet(id);
    await partner.post(`/sandbox/profiles/${id}/approve`, {});
    expect((await partner.post('/ibans', { address: wallet.address, chain: 'chiado' })).status).toBe(202);
    expect((await partner.post('/orders', await bankOrder(wallet))).status).toBe(200);
    await assignIbanNumbers(api.ledger, { compose, bic: 'MNTRIS22', limit: 100 });
    await approveIbans(api.ledger, 100);
    const [iban] = (await partner.get(`/ibans?profile=${id}`)).json.ibans;
    expect(iban).toMatchObject({ name: 'Anna Karlsson', profile: id });
    const credit = async () => {
      const body = { iban: iban.iban, amount: '1', currency: 'eur', payer: { name: 'Max', iban: 'DE89370400440532013000' } };
      return (await partner.post('/sandbox/credits', { ...body, reference: randomUUID() })).json;
    };
    expect(await credit()).toMatchObject({ credit: { state: 'matched' }, order: { chain: 'chiado' } });
    await setState(id, 'incomplete');
    expect(await credit()).toMatchObject({ credit: { state: 'unmatched', reason: 'the profile is incomplete' }, order: null });
  });
});
