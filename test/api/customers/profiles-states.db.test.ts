import { beforeAll, describe, expect, it } from 'vitest';
import { reviewSimulated } from '../../../src/ledger/customers/profile-review.ts';
import { fillShares } from '../../../src/ledger/customers/profile-shares.ts';
import { assignIbans } from '../../support/assign-ibans.ts';
import { bankOrder } from '../orders/redeeming.ts';
import { createTestApi, createWallet, linkBody, type Partner } from '../support/test-api.ts';
import { company, completed, eventsOf, nearlyComplete, newProfile, person, personalForm, uploadedFile } from './profiles-data.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let partner: Partner;
beforeAll(async () => void (partner = await api.partner('whitelabel')));

const read = async (id: string) => (await partner.get(`/profiles/${id}`)).json;
const stateOf = async (id: string) => (await read(id)).state;
const sandbox = (id: string, verb: string, body: unknown = {}) => partner.post(`/sandbox/profiles/${id}/${verb}`, body);
const share = (id: string, token = 'applicant-token') => partner.post(`/profiles/${id}/share`, { provider: 'sumsub', personal: { token } });

const submissions = async (id: string) => {
  const fileId = await uploadedFile(api, partner);
  return Promise.all([
    partner.patch(`/profiles/${id}/details`, { personal: person }),
    partner.patch(`/profiles/${id}/form`, { personal: personalForm }),
    partner.patch(`/profiles/${id}/verifications`, { personal: [{ kind: 'sourceOfFunds', fileId }] }),
  ]);
};

describe('the states of a profile', () => {
  it.each([
    ['approve', 'approved', /^The profile details have already been approved and need not be submitted again$/],
    ['reject', 'rejected', /was rejected/],
  ])('%s ends the review: nothing is taken or decided any more', async (verb, state, message) => {
    const id = await completed(api, partner);
    for (const { status, json } of await submissions(id))
      expect({ status, message: json.message }).toEqual({ status: 409, message: expect.stringMatching(/in review/) });
    const decided = await sandbox(id, verb);
    expect(decided.status).toBe(200);
    expect(decided.json).toMatchObject({ id, state, details: { state }, form: { state } });
    expect(decided.json.verifications.every((one: { state: string }) => one.state === state)).toBe(true);
    expect((await eventsOf(api, id)).at(-1)).toEqual(decided.json);
    for (const answer of await submissions(id))
      expect(answer).toMatchObject({ status: 409, json: { message: expect.stringMatching(message) } });
    for (const again of ['approve', 'reject', 'incomplete']) expect((await sandbox(id, again)).status).toBe(409);
    expect(await read(id)).toEqual(decided.json);
    expect((await share(id)).json.errors).toEqual({ profile: expect.stringContaining(`is ${state}`) });
  });

  it('incomplete reopens what the errors name, tells them, and a second round is reviewed again; an error about nothing is refused', async () => {
    const id = await completed(api, partner);
    const wrong = ['form', 'corporateName'].map((field) => ({ field, reason: 'x' }));
    expect((await sandbox(id, 'incomplete', { errors: wrong })).json.errors).toEqual({
      'errors.1.field': expect.stringContaining('must begin with one of details, form, idDocument'),
    });
    expect(await read(id)).toMatchObject({ state: 'pending', form: { state: 'pending' } });
    const errors = [
      { field: 'details.birthday', reason: 'does not match the passport' },
      { field: 'verifications.idDocument', reason: 'is not readable' },
    ];
    const { status, json } = await sandbox(id, 'incomplete', { errors });
    expect(status).toBe(200);
    expect(json).toMatchObject({ state: 'incomplete', details: { state: 'incomplete' }, form: { state: 'pending' } });
    expect(json.verifications.map(({ state }: { state: string }) => state)).toEqual(['incomplete', 'pending', 'pending', 'pending']);
    expect(await eventsOf(api, id, 'profile.error')).toEqual([{ id, kind: 'personal', errors }]);
    await partner.patch(`/profiles/${id}/details`, { personal: person });
    expect(await stateOf(id)).toBe('incomplete');
    const fileId = await uploadedFile(api, partner);
    await partner.patch(`/profiles/${id}/verifications`, { personal: [{ kind: 'idDocument', fileId }] });
    expect(await stateOf(id)).toBe('pending');
  });

  it('is decided once by several who decide together', async () => {
    const id = await completed(api, partner);
    const answers = await Promise.all(['approve', 'reject', 'incomplete', 'approve'].map((verb) => sandbox(id, verb)));
    expect(answers.map(({ status }) => status).toSorted((first, second) => first - second)).toEqual([200, 409, 409, 409]);
    expect(await api.ledger.selectFrom('profileReviews').where('profile', '=', id).selectAll().execute()).toHaveLength(1);
  });
});

describe('the simulated review', () => {
  it.each([
    [{ directors: [{ ...person, lastName: 'Review' }] }, 'pending'],
    [{ name: 'Reject' }, 'rejected'],
    [{}, 'approved'],
  ])('of a company looks at its name and at every person: %j ends %s', async (changes, state) => {
    const id = await newProfile(partner, 'corporate');
    const { fileId, personId } = await nearlyComplete(api, partner, id);
    await partner.patch(`/profiles/${id}/details`, { corporate: { ...company, ...changes } });
    await partner.patch(`/profiles/${id}/verifications`, { corporate: [{ kind: 'proofOfResidency', personId, fileId }] });
    const incomplete = await newProfile(partner);
    await partner.patch(`/profiles/${incomplete}/details`, { personal: person });
    await Promise.all([reviewSimulated(api.ledger, 100), reviewSimulated(api.ledger, 100)]);
    expect([await stateOf(id), await stateOf(incomplete)]).toEqual([state, 'incomplete']);
  });
});

async function linkedWallet(profile: string) {
  const wallet = createWallet();
  expect((await partner.post('/addresses', { ...(await linkBody(wallet)), profile })).status).toBe(201);
  api.fund(wallet.address, 1_000n);
  return wallet;
}

describe('a profile', () => {
  it.each(['incomplete', 'pending', 'rejected'])('that is %s gets no IBAN and places no order', async (state) => {
    const id = state === 'incomplete' ? await newProfile(partner) : await completed(api, partner);
    if (state === 'rejected') await sandbox(id, 'reject');
    const wallet = await linkedWallet(id);
    const { status, json } = await partner.post('/ibans', { address: wallet.address, chain: 'chiado' });
    const message = `Only an approved profile gets an IBAN: the profile ${id} is ${state}`;
    expect({ status, json }).toEqual({ status: 403, json: { code: 403, status: 'Forbidden', message, reason: 'profile_not_approved' } });
    expect(await api.ledger.selectFrom('ibans').where('profile', '=', id).selectAll().execute()).toEqual([]);
    const placed = await partner.post('/orders', await bankOrder(wallet));
    expect([placed.status, placed.json.message]).toEqual([403, `Only an approved profile may place orders: the profile ${id} is ${state}`]);
  });

  it('that is approved gets an IBAN, places orders and receives issues, for as long as it is', async () => {
    const id = await completed(api, partner);
    const wallet = await linkedWallet(id);
    await sandbox(id, 'approve');
    expect((await partner.post('/ibans', { address: wallet.address, chain: 'chiado' })).status).toBe(202);
    expect((await partner.post('/orders', await bankOrder(wallet))).status).toBe(200);
    await assignIbans(api.ledger);
    const [{ iban, name }] = (await partner.get(`/ibans?profile=${id}`)).json.ibans;
    expect(name).toBe('Anna Karlsson');
    const credit = async () =>
      (await partner.post('/sandbox/credits', { iban, amount: '1', currency: 'eur', payer: { name: 'Max' } })).json;
    expect(await credit()).toMatchObject({ credit: { state: 'matched' }, order: { chain: 'chiado' } });
    await api.ledger.updateTable('profiles').set({ state: 'incomplete' }).where('id', '=', id).execute();
    expect(await credit()).toMatchObject({ credit: { state: 'unmatched', reason: 'the profile is incomplete' }, order: null });
  });
});

describe('POST /profiles/{profile}/share', () => {
  it('brings details and verifications shortly after; form and source of funds are still needed', async () => {
    const id = await newProfile(partner);
    expect(await share(id)).toMatchObject({ status: 202, json: {} });
    expect((await read(id)).details.state).toBe('incomplete');
    await fillShares(api.ledger, 100);
    const shown = await read(id);
    expect(shown).toMatchObject({
      name: 'Sam Applicant',
      state: 'incomplete',
      details: { state: 'pending' },
      form: { state: 'incomplete' },
    });
    const states = shown.verifications.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`);
    expect(states).toEqual(['idDocument pending', 'facialSimilarity pending', 'proofOfResidency pending', 'sourceOfFunds incomplete']);
    expect(await eventsOf(api, id)).toEqual([shown]);
    const fileId = await uploadedFile(api, partner);
    await partner.patch(`/profiles/${id}/form`, { personal: personalForm });
    await partner.patch(`/profiles/${id}/verifications`, { personal: [{ kind: 'sourceOfFunds', fileId }] });
    expect(await stateOf(id)).toBe('pending');
  });

  it('takes the family name from the tokens Reject and Review, and overwrites nothing that was given', async () => {
    const [named, given] = [await newProfile(partner), await newProfile(partner)];
    await partner.patch(`/profiles/${given}/details`, { personal: person });
    await Promise.all([share(named, 'Reject'), share(given), share(given)]);
    await Promise.all([fillShares(api.ledger, 100), fillShares(api.ledger, 100)]);
    expect((await read(named)).name).toBe('Sam Reject');
    expect((await read(given)).name).toBe('Anna Karlsson');
  });

  it('is for personal profiles and this provider only', async () => {
    const refused = await share(await newProfile(partner, 'corporate'));
    expect(refused).toMatchObject({ status: 400, json: { errors: { profile: 'is corporate: only personal profiles can be shared' } } });
    const id = await newProfile(partner);
    const { json } = await partner.post(`/profiles/${id}/share`, { provider: 'onfido', personal: {} });
    expect(json.errors).toEqual({ provider: 'must be sumsub', 'personal.token': 'is required' });
  });
});
