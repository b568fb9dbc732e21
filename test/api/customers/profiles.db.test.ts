import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Partner, createTestApi } from '../support/test-api.ts';
import { company, eventsOf, kinds, nearlyComplete, newProfile, person, personalForm, uploadedFile } from './profiles-data.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let partner: Partner;
beforeAll(async () => void (partner = await api.partner('whitelabel')));

const read = async (id: string) => (await partner.get(`/profiles/${id}`)).json;
const stateOf = async (id: string) => (await read(id)).state;

describe('POST /profiles', () => {
  it.each(['personal', 'corporate'] as const)('creates a %s profile, incomplete in every section', async (kind) => {
    const { status, json } = await partner.post('/profiles', { kind, foo: 1 });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(String),
      kind,
      name: '',
      state: 'incomplete',
      details: { state: 'incomplete' },
      form: { state: 'incomplete' },
      verifications: kinds[kind].map((kind) => ({ kind, state: 'incomplete' })),
    });
    expect(await read(json.id)).toEqual(json);
  });

  it('takes an id of the client, once', async () => {
    const id = randomUUID();
    expect((await partner.post('/profiles', { id: id.toUpperCase(), kind: 'personal' })).json.id).toBe(id);
    const other = await api.partner('whitelabel');
    for (const again of [partner, other])
      expect(await again.post('/profiles', { id, kind: 'corporate' })).toMatchObject({
        status: 409,
        json: { code: 409, status: 'Conflict', message: 'Profile already exists', reason: 'profile_exists' },
      });
  });

  it('creates one of several profiles with one id that come together', async () => {
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => partner.post('/profiles', { id, kind: 'personal' })));
    expect(answers.map(({ status }) => status).toSorted((first, second) => first - second)).toEqual([201, 409, 409, 409, 409]);
  });

  it('needs a kind, a UUID and a whitelabel application', async () => {
    expect((await partner.post('/profiles', {})).json.errors).toEqual({ kind: 'is required' });
    expect((await partner.post('/profiles', { kind: 'personal', id: '1' })).json.errors).toEqual({ id: 'must be a UUID' });
    const caller = await api.partner('private');
    const refused = await caller.post('/profiles', { kind: 'personal' });
    expect(refused).toMatchObject({ status: 403, json: { message: expect.stringContaining('whitelabel') } });
  });
});

describe('GET /profiles', () => {
  it('lists those of the caller, by state and kind', async () => {
    const caller = await api.partner('whitelabel');
    const id = await newProfile(caller, 'corporate');
    const list = async (query: string) => (await caller.get(`/profiles${query}`)).json;
    expect(await list('')).toEqual({
      profiles: [
        { id: caller.profile, kind: 'personal', name: 'Jane Doe', state: 'approved' },
        { id, kind: 'corporate', name: '', state: 'incomplete' },
      ],
      total: 2,
    });
    expect((await list('?state=incomplete')).profiles).toMatchObject([{ id }]);
    expect((await list('?kind=personal&kind=corporate&foo=1')).total).toBe(2);
    expect((await list('?kind=personal&state=pending')).total).toBe(0);
    expect((await caller.get('/profiles?state=submitted')).json.errors).toEqual({ state: expect.stringContaining('must be one of') });
  });

  it('says of a profile of somebody else that it is not of the caller', async () => {
    const id = await newProfile(await api.partner('whitelabel'));
    const message = `The profile ${id} does not belong to the caller`;
    const json = { code: 403, status: 'Forbidden', message, reason: 'not_allowed' };
    expect(await partner.get(`/profiles/${id}`)).toMatchObject({ status: 403, json });
  });

  it('shows a profile that was approved at its creation as approved throughout', async () => {
    const shown = await read(partner.profile);
    expect([
      shown.state,
      shown.details.state,
      shown.form.state,
      ...shown.verifications.map(({ state }: { state: string }) => state),
    ]).toEqual(Array.from({ length: 7 }, () => 'approved'));
  });
});

describe('onboarding', () => {
  it('goes into review with the last section, whichever that is, and every change is announced', async () => {
    const id = await newProfile(partner);
    const fileId = await uploadedFile(api, partner);
    const [first, ...others] = kinds.personal;
    // What is beside the half of the profile's kind is ignored, whatever it is.
    const beside = { companyName: 'Max GmbH', corporate: { companyName: 'Max GmbH', purposeOfAccount: 'Rent' } };
    const update = (names: (string | undefined)[]) => ({
      ...beside,
      personal: names.map((kind) => ({ kind, documents: [{ fileId, side: 'front' }] })),
    });
    expect(await partner.patch(`/profiles/${id}/verifications`, update(others))).toMatchObject({ status: 202, json: {} });
    expect(await partner.patch(`/profiles/${id}/form`, { ...beside, personal: personalForm })).toMatchObject({ status: 202, text: '{}' });
    await partner.patch(`/profiles/${id}/details`, { ...beside, personal: person });
    expect(await read(id)).toMatchObject({ name: 'Anna Karlsson', state: 'incomplete', details: { state: 'pending' } });
    await partner.patch(`/profiles/${id}/details`, { personal: { ...person, lastName: 'Berg' } });
    await partner.patch(`/profiles/${id}/verifications`, update([first]));
    const shown = await read(id);
    expect(shown).toMatchObject({ name: 'Anna Berg', state: 'pending', form: { state: 'pending' } });
    const events = await eventsOf(api, id);
    expect(events.at(-1)).toEqual(shown);
    expect(events.map(({ state }) => state)).toEqual(['incomplete', 'incomplete', 'incomplete', 'pending']);
    expect(JSON.stringify(events)).not.toContain('Laugavegur');
  });

  it('of a company needs the papers of each person who acts for it or owns it', async () => {
    const id = await newProfile(partner, 'corporate');
    const { fileId, personId } = await nearlyComplete(api, partner, id);
    expect(await read(id)).toMatchObject({ name: 'Fjord ehf.', state: 'incomplete' });
    const open = (await read(id)).verifications.filter(({ state }: { state: string }) => state === 'incomplete');
    expect(open).toEqual([{ kind: 'proofOfResidency', personId, state: 'incomplete' }]);
    const unknown = await partner.patch(`/profiles/${id}/verifications`, {
      corporate: [{ kind: 'proofOfResidency', personId: randomUUID(), fileId }],
    });
    expect(unknown.json.errors).toEqual({ 'corporate.0.personId': expect.stringContaining('is nobody of the details') });
    const missing = await partner.patch(`/profiles/${id}/verifications`, { corporate: [{ kind: 'proofOfResidency', fileId }] });
    expect(missing.json.errors).toEqual({ 'corporate.0.personId': 'is required: the id of a person of the details' });
    await partner.patch(`/profiles/${id}/verifications`, { corporate: [{ kind: 'proofOfResidency', personId, fileId }] });
    expect(await stateOf(id)).toBe('pending');
  });

  it('needs nothing any more of a person who is no longer in the details; ids are kept, or the client’s own', async () => {
    const id = await newProfile(partner, 'corporate');
    const { personId } = await nearlyComplete(api, partner, id);
    const own = randomUUID();
    const representatives = [...company.representatives, { ...company.representatives[0], id: own }];
    await partner.patch(`/profiles/${id}/details`, { corporate: { ...company, representatives } });
    const ids = async () => new Set((await read(id)).verifications.flatMap(({ personId }: { personId?: string }) => personId ?? []));
    expect(await ids()).toEqual(new Set([personId, own]));
    await partner.patch(`/profiles/${id}/details`, { corporate: company });
    expect(await ids()).toEqual(new Set([personId]));
  });

  it('goes into review once when sections come at the same time', async () => {
    const id = await newProfile(partner);
    const fileId = await uploadedFile(api, partner);
    const sections = [
      ['details', person],
      ['form', personalForm],
      ['verifications', kinds.personal.map((kind) => ({ kind, fileId }))],
    ] as const;
    const answers = await Promise.all(
      [...sections, ...sections].map(([section, personal]) => partner.patch(`/profiles/${id}/${section}`, { personal })),
    );
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
    expect(await stateOf(id)).toBe('pending');
    expect((await eventsOf(api, id)).filter(({ state }) => state === 'pending')).toHaveLength(1);
  });

  it('takes only the half of the body that is of the kind of the profile', async () => {
    const id = await newProfile(partner, 'corporate');
    for (const [section, personal] of [
      ['details', person],
      ['form', personalForm],
    ] as const) {
      const { json } = await partner.patch(`/profiles/${id}/${section}`, { personal });
      expect(json.errors).toEqual({ corporate: 'is required: the profile is corporate' });
    }
    expect((await partner.patch(`/profiles/${id}/verifications`, {})).status).toBe(400);
  });

  it('names a wrong field by the half of the body in which it is', async () => {
    const id = await newProfile(partner);
    for (const [section, personal, field] of [
      ['form', { ...personalForm, occupation: 'PIRATE' }, 'occupation'],
      ['verifications', [{ kind: 'horoscope', documents: [] }], '0.kind'],
    ] as const)
      expect((await partner.patch(`/profiles/${id}/${section}`, { personal })).json.errors).toHaveProperty([`personal.${field}`]);
  });

  it('takes files of the own application only, and names the place of each other', async () => {
    const id = await newProfile(partner);
    const [own, foreign] = [await uploadedFile(api, partner), await uploadedFile(api, await api.partner('whitelabel'))];
    const { status, json } = await partner.patch(`/profiles/${id}/verifications`, {
      personal: [
        { kind: 'idDocument', documents: [{ fileId: own }, { fileId: foreign }] },
        { kind: 'sourceOfFunds', fileId: randomUUID() },
      ],
    });
    expect(status).toBe(400);
    const text = 'is not a file that you uploaded';
    expect(json.errors).toEqual({ 'personal.0.documents.1.fileId': text, 'personal.1.fileId': text });
    expect((await read(id)).verifications.every(({ state }: { state: string }) => state === 'incomplete')).toBe(true);
  });
});
