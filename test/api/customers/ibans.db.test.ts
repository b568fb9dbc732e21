import { describe, expect, it } from 'vitest';
import { assignIbans } from '../../support/assign-ibans.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { type Partner, createTestApi, createWallet, linkBody } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

const assignAll = () => assignIbans(api.ledger);

/** A partner with a linked wallet and an approved IBAN. */
async function partnerWithIban() {
  const caller = await api.partner();
  const wallet = await caller.link();
  await caller.post('/ibans', { address: wallet.address, chain: 'chiado' });
  await assignAll();
  const { iban } = (await caller.get('/ibans')).json.ibans[0] as { iban: string };
  return { caller, wallet, iban };
}

async function ask(caller: Partner, address: string) {
  return caller.post('/ibans', { address, chain: 'chiado', emailNotifications: false });
}

describe('POST /ibans', () => {
  it('accepts the request, wakes the assignment, says 304 the second time, and the IBAN is listed when it is assigned', async () => {
    const caller = await api.partner();
    const { address } = await caller.link();
    api.woken.length = 0;
    expect(await ask(caller, address)).toMatchObject({ status: 202, json: { code: 202, status: 'Accepted' } });
    expect(api.woken).toEqual(['ibans']);
    expect(await ask(caller, address)).toMatchObject({ status: 304, text: '' });
    expect(api.woken).toEqual(['ibans']);
    expect((await caller.get('/ibans')).json).toEqual({ ibans: [], total: 0 });
    await assignAll();
    expect((await caller.get('/ibans')).json).toEqual({
      ibans: [
        {
          iban: expect.stringMatching(/^IS\d{24}$/),
          name: 'Jane Doe',
          bic: 'MNTRIS22',
          profile: caller.profile,
          address,
          chain: 'chiado',
          state: 'approved',
          emailNotifications: false,
          linked: true,
        },
      ],
      total: 1,
    });
    expect((await caller.get('/ibans?chain=basesepolia')).json).toEqual({ ibans: [], total: 0 });
  });

  it('accepts one of many requests that come at the same time', async () => {
    const caller = await api.partner();
    const wallets = await Promise.all(Array.from({ length: 4 }, () => caller.link()));
    const answers = await Promise.all([...wallets, ...wallets].map(({ address }) => ask(caller, address)));
    expect(answers.map(({ status }) => status).toSorted((first, second) => first - second)).toEqual([
      202,
      ...Array.from({ length: 7 }, () => 304),
    ]);
  });

  it("refuses an address that is not linked, not linked on that chain, or another profile's", async () => {
    const [caller, other] = [await api.partner(), await api.partner()];
    const wallet = await caller.link();
    const refusal = { address: 'is not linked to the profile on this chain' };
    expect((await ask(caller, createWallet().address)).json.errors).toEqual(refusal);
    expect((await caller.post('/ibans', { address: wallet.address, chain: 'basesepolia' })).json.errors).toEqual(refusal);
    expect((await ask(other, wallet.address)).json.errors).toEqual(refusal);
  });

  it('assigns to the profile of the address, also of a customer that the whitelabel application onboarded', async () => {
    const caller = await api.partner('whitelabel');
    const customer = await createProfile(api.ledger, { kind: 'personal', name: 'Max', state: 'approved', application: caller.clientId });
    const wallet = createWallet();
    await caller.post('/addresses', { ...(await linkBody(wallet)), profile: customer });
    expect((await ask(caller, wallet.address)).status).toBe(202);
    await assignAll();
    expect((await caller.get(`/ibans?profile=${customer}`)).json.ibans).toMatchObject([{ name: 'Max', profile: customer }]);
    expect((await caller.get('/ibans')).json.total).toBe(0);
  });

  it('names every wrong field', async () => {
    const caller = await api.partner();
    expect((await caller.post('/ibans', { chain: 'moon', emailNotifications: 'yes' })).json.errors).toEqual({
      address: 'is required',
      chain: 'is not a chain: must be one of chiado, basesepolia',
      emailNotifications: 'must be a boolean',
    });
  });
});

describe('GET /ibans/{iban}', () => {
  it('takes an IBAN with spaces, percent-encoded, in lower case, and nothing that is none', async () => {
    const { caller, iban } = await partnerWithIban();
    const spaced = iban.replaceAll(/(.{4})/g, '$1 ').trim();
    for (const form of [iban, iban.toLowerCase(), encodeURIComponent(spaced), spaced.replaceAll(' ', '%20').toLowerCase()]) {
      const { status, json } = await caller.get(`/ibans/${form}`);
      expect(status).toBe(200);
      expect(json.iban).toBe(iban);
    }
    expect((await caller.get('/ibans/DE00370400440532013000')).json.errors).toEqual({ iban: 'is not a valid IBAN' });
  });
});

describe('PATCH /ibans/{iban}', () => {
  it('keeps the number, sends payments elsewhere, and tells it in an event', async () => {
    const { caller, iban } = await partnerWithIban();
    const { address } = await caller.link(undefined, 'basesepolia');
    const { status, json } = await caller.patch(`/ibans/${iban}`, { address, chain: 'basesepolia', emailNotifications: false });
    expect(status).toBe(200);
    expect(json).toMatchObject({ iban, address, chain: 'basesepolia', state: 'approved', emailNotifications: false });
    const events = await api.ledger.selectFrom('events').where('profile', '=', caller.profile).orderBy('id').selectAll().execute();
    expect(events.map(({ type }) => type)).toEqual(['iban.updated', 'iban.updated']);
    expect(events[1]?.data).toMatchObject({ iban, name: 'Jane Doe', chain: 'basesepolia', address: address.toLowerCase() });
    expect(events[1]?.correlationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('refuses an address that is not linked to the profile on that chain, and a closed IBAN', async () => {
    const { caller, wallet, iban } = await partnerWithIban();
    const foreign = await (await api.partner()).link();
    for (const target of [
      { address: foreign.address, chain: 'chiado' },
      { address: wallet.address, chain: 'basesepolia' },
    ]) {
      const { status, json } = await caller.patch(`/ibans/${iban}`, target);
      expect(status).toBe(400);
      expect(json.errors).toHaveProperty('address');
    }
    await api.ledger.updateTable('ibans').set({ state: 'closed' }).where('iban', '=', iban).execute();
    const { json } = await caller.patch(`/ibans/${iban}`, { address: wallet.address, chain: 'chiado' });
    expect(json.errors).toEqual({ iban: 'is closed' });
  });
});
