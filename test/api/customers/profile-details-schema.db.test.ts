import { beforeAll, describe, expect, it } from 'vitest';
import { isOfAge } from '../../../src/api/customers/profile-details-schema.ts';
import { type Partner, createTestApi } from '../support/test-api.ts';
import { company, newProfile, person } from './profiles-data.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let partner: Partner;
let ids: { personal: string; corporate: string };
beforeAll(async () => {
  partner = await api.partner('whitelabel');
  ids = { personal: await newProfile(partner), corporate: await newProfile(partner, 'corporate') };
});

const patchPerson = async (changes: object) => partner.patch(`/profiles/${ids.personal}/details`, { personal: { ...person, ...changes } });
const patchCompany = async (changes: object) =>
  partner.patch(`/profiles/${ids.corporate}/details`, { corporate: { ...company, ...changes } });

/** A date so many years and days before today, in UTC. */
function ago(years: number, days = 0): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear() - years, now.getUTCMonth(), now.getUTCDate() - days)).toISOString().slice(0, 10);
}

describe('personal details', () => {
  it.each<[string, object]>([
    ['everything that is optional', { countryState: 'X', phone: '+354 1', email: 'a@b.is', idDocument: { number: '1', kind: 'passport' } }],
    ['fields that nobody knows', { nickname: 'x', companyName: 1 }],
    ['a country in lower case', { country: 'is', nationality: 'se' }],
    ['an address of 70 characters', { address: 'ä'.repeat(70) }],
    ['somebody who is 18 today', { birthday: ago(18) }],
    ['somebody with the nationality of a country in which nobody may live', { nationality: 'AF' }],
  ])('take %s', async (_, changes) => {
    expect(await patchPerson(changes)).toMatchObject({ status: 202, text: '{}' });
  });

  it.each<[object, string, string]>([
    [{ firstName: '' }, 'firstName', 'must be 1 to 70 characters long'],
    [{ lastName: '  ' }, 'lastName', 'must not be blank'],
    [{ address: 'a'.repeat(71) }, 'address', 'must be 1 to 70 characters long'],
    [{ postalCode: undefined }, 'postalCode', 'is required'],
    [{ city: 1 }, 'city', 'must be a string'],
    [{ city: '\u0000' }, 'city', 'must be well-formed Unicode without NUL characters'],
    [{ birthday: ago(18, -1) }, 'birthday', 'must be at least 18 years ago'],
    [{ birthday: '2990-01-01' }, 'birthday', 'must be at least 18 years ago'],
    [{ birthday: '1899-12-31' }, 'birthday', 'is too long ago'],
    [{ birthday: '1990-02-30' }, 'birthday', 'must be an existing date, as YYYY-MM-DD'],
    [{ birthday: '1990-2-3' }, 'birthday', 'must be an existing date, as YYYY-MM-DD'],
    [{ country: 'XX' }, 'country', 'is not a country code of ISO 3166-1 alpha-2'],
    [{ country: 'ISL' }, 'country', 'must be a two-letter country code'],
    [{ country: 'AF' }, 'country', 'is restricted: Afghanistan (AF) is not served (residency)'],
    [{ country: 'KP' }, 'country', 'is prohibited: North Korea (KP) is not served (residency)'],
    [{ nationality: 'IR' }, 'nationality', 'is prohibited: Iran (IR) is not served (nationality)'],
    [{ email: 'x' }, 'email', 'must be an email address'],
    [{ idDocument: { number: '', kind: 'passport' } }, 'idDocument.number', 'must be 1 to 50 characters long'],
  ])('refuse %j by the field', async (changes, field, text) => {
    const { status, json } = await patchPerson(changes);
    expect({ status, json }).toEqual({
      status: 400,
      json: {
        code: 400,
        status: 'Bad Request',
        message: 'Validation errors',
        reason: 'invalid_request',
        errors: { [`personal.${field}`]: text },
      },
    });
  });

  it('name every field that is missing', async () => {
    const { json } = await partner.patch(`/profiles/${ids.personal}/details`, { personal: {} });
    expect(Object.keys(json.errors).toSorted()).toEqual(
      Object.keys(person)
        .map((name) => `personal.${name}`)
        .toSorted(),
    );
  });

  it.each([
    ['2008-02-29', '2026-02-28', false],
    ['2008-02-29', '2026-03-01', true],
    ['2008-03-01', '2026-03-01', true],
    ['2008-03-02', '2026-03-01', false],
  ])('of one born on %s are of age on %s: %s', (birthday, today, ofAge) => {
    expect(isOfAge(birthday, new Date(`${today}T23:59:59Z`))).toBe(ofAge);
  });
});

const beneficiary = (ownershipPercentage: unknown) => ({ finalBeneficiaries: [{ ...person, ownershipPercentage }] });

const identified = { ...person, id: '00000000-0000-4000-8000-000000000000' };

describe('corporate details', () => {
  it.each<object>([
    { registrationDate: '2001-05-17', vatNumber: '123', website: 'https://example.com/about', companyName: 'ignored' },
    { website: 'example.com' },
    { finalBeneficiaries: [], directors: [] },
    ...['25', '25.00', '33.3', '99.99', '100', '100.00'].map(beneficiary),
  ])('take %j', async (changes) => {
    expect(await patchCompany(changes)).toMatchObject({ status: 202, json: {} });
  });

  it.each(['24.99', '0', '100.01', '101', '25.001', '-30', '1e2', '25,5', '', ' 25', 50, null])(
    'refuse an ownership of %j',
    async (share) => {
      const { status, json } = await patchCompany(beneficiary(share));
      expect([status, Object.keys(json.errors)]).toEqual([400, ['corporate.finalBeneficiaries.0.ownershipPercentage']]);
    },
  );

  it.each<[object, string, string]>([
    [{ representatives: [] }, 'representatives', 'must name at least 1'],
    [{ representatives: [person] }, 'representatives.0.idDocument', 'is required'],
    [{ directors: [person, { ...person, birthday: ago(17) }] }, 'directors.1.birthday', 'must be at least 18 years ago'],
    [
      { directors: [{ ...person, nationality: 'KP' }] },
      'directors.0.nationality',
      'is prohibited: North Korea (KP) is not served (nationality)',
    ],
    [{ directors: undefined }, 'directors', 'is required'],
    [{ directors: [identified, { ...identified, firstName: 'Eva' }] }, 'directors.1.id', 'is the id of another person'],
    [{ countryState: undefined }, 'countryState', 'is required'],
    [{ country: 'RU' }, 'country', 'is restricted: Russia (RU) is not served (residency)'],
    [{ registrationDate: '2990-01-01' }, 'registrationDate', 'must not be in the future'],
    [{ website: 'not a website' }, 'website', 'must be an address such as https://example.com'],
    [{ directors: Array.from({ length: 51 }, () => person) }, 'directors', 'must name at most 50'],
  ])('refuse %j by the field', async (changes, field, text) => {
    const { status, json } = await patchCompany(changes);
    expect([status, json.errors]).toEqual([400, { [`corporate.${field}`]: text }]);
  });
});
