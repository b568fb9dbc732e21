import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Partner, type TestApi, createTestApi } from '../support/test-api.ts';
import { company, corporateForm, newProfile, person, personalForm, uploadedFile } from './profiles-data.ts';

let api: TestApi;
let partner: Partner;
let ids: Record<'personal' | 'corporate', string>;
let fileId: string;
beforeAll(async () => {
  api = await createTestApi();
  partner = await api.partner('whitelabel');
  ids = { personal: await newProfile(partner), corporate: await newProfile(partner, 'corporate') };
  fileId = await uploadedFile(api, partner);
});
afterAll(() => api.close());

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', '9'.repeat(400), '1e400', '__proto__', "' or 1=1 --", '0000-00-00', '+010000-01-01', 'ß', 'İı'),
);
const anything = fc.oneof(nasty, fc.jsonValue(), fc.double(), fc.constant(null));
const kind = fc.constantFrom('personal' as const, 'corporate' as const);
const write = fc.constantFrom(
  { method: 'PATCH', path: (id: string) => `/profiles/${id}/details` },
  { method: 'PATCH', path: (id: string) => `/profiles/${id}/form` },
  { method: 'PATCH', path: (id: string) => `/profiles/${id}/verifications` },
  { method: 'POST', path: (id: string) => `/profiles/${id}/share` },
  { method: 'POST', path: (id: string) => `/sandbox/profiles/${id}/incomplete` },
  { method: 'POST', path: (id: string) => `/sandbox/profiles/${id}/reject` },
  { method: 'POST', path: () => '/profiles' },
);

async function statusOf(method: string, path: string, body: unknown): Promise<number> {
  const headers = { ...partner.headers, 'Content-Type': 'application/json' };
  return (await api.send(method, path, { headers, body: JSON.stringify(body) ?? '' })).status;
}

describe('whatever is sent', () => {
  it('as a JSON body, alone or under the kind of the profile, is never answered by 500', async () => {
    await fc.assert(
      fc.asyncProperty(write, kind, fc.boolean(), fc.jsonValue(), async ({ method, path }, kind, under, body) => {
        expect(await statusOf(method, path(ids[kind]), under ? { [kind]: body } : body)).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });

  it('in the known fields of a section is never answered by 500', async () => {
    const valid = {
      personal: { details: person, form: personalForm, verifications: [{ kind: 'sourceOfFunds', fileId, documents: [] }] },
      corporate: { details: company, form: corporateForm, verifications: [{ kind: 'corporateName', fileId, personId: fileId }] },
    };
    const section = fc.constantFrom('details' as const, 'form' as const, 'verifications' as const);
    await fc.assert(
      fc.asyncProperty(
        kind,
        section,
        fc.array(fc.tuple(fc.nat(30), anything), { minLength: 1, maxLength: 3 }),
        async (kind, section, changes) => {
          const body = structuredClone(valid[kind][section]) as Record<string, unknown> | Record<string, unknown>[];
          const target = Array.isArray(body) ? (body[0] ?? {}) : body;
          const fields = Object.keys(target);
          for (const [index, value] of changes) target[fields[index % fields.length] ?? ''] = value;
          expect(await statusOf('PATCH', `/profiles/${ids[kind]}/${section}`, { [kind]: body })).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('in a path or a query is never answered by 500', async () => {
    const read = fc.constantFrom(
      (value: string) => `/profiles/${value}`,
      (value: string) => `/profiles?state=${value}&kind=${value}`,
      (value: string) => `/countries?code=${value}`,
    );
    const raw = fc.constantFrom('%00', '%', '%E0%A4%A', '%ff', '%2F', 'a&state=b');
    const encoded = nasty.filter((value) => value.isWellFormed()).map(encodeURIComponent);
    await fc.assert(
      fc.asyncProperty(read, fc.oneof(encoded, raw), async (path, value) => {
        expect((await partner.get(path(value))).status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });
});
