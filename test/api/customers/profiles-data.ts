import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Partner, TestApi } from '../support/test-api.ts';

export const person = {
  firstName: 'Anna',
  lastName: 'Karlsson',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavik',
  country: 'IS',
  nationality: 'SE',
  birthday: '1990-02-28',
};

export const personalForm = {
  occupation: 'OCCUPATION_EMPLOYED',
  profession: 'PROFESSION_LEGAL',
  fundOrigin: 'FUND_ORIGIN_SALARY',
  annualIncome: 'ANNUAL_INCOME_UNDER_10K',
  monthlyTurnover: 'TURNOVER_UNDER_10K',
  monthlyTransactionCount: 'TRANSACTION_COUNT_UNDER_5',
  activities: ['ACTIVITY_COMMERCE_BUYING'],
  publicFunction: false,
  fundOwner: true,
  usCitizen: false,
  usTaxPerson: false,
  tin: '1234567890',
  taxResidenceCountry: 'IS',
};

export const company = {
  name: 'Fjord ehf.',
  registrationNumber: '5501692829',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavik',
  country: 'IS',
  countryState: 'Capital Region',
  representatives: [{ ...person, idDocument: { number: 'A1', kind: 'passport' } }],
  finalBeneficiaries: [{ ...person, ownershipPercentage: '50.25' }],
  directors: [{ ...person, firstName: 'Björn' }],
};

export const corporateForm = {
  service: 'Fishing',
  purpose: 'PURPOSE_COLLECTING_PAYMENTS',
  activity: 'ACTIVITY_RETAIL',
  fundOrigin: 'FUND_ORIGIN_REVENUE',
  monthlyTurnover: 'TURNOVER_UNDER_100K',
  monthlyTransactionCount: 'TRANSACTION_COUNT_UNDER_100',
};

export const kinds = {
  personal: ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'],
  corporate: [
    'sourceOfFunds',
    'corporateName',
    'corporateAddress',
    'registrationNumber',
    'dateOfRegistration',
    'beneficialOwnership',
    'powerOfAttorney',
  ],
};

/** A file of the partner's, as an upload leaves it. */
export async function uploadedFile(api: TestApi, { clientId, user }: Pick<Partner, 'clientId' | 'user'>): Promise<string> {
  const id = randomUUID();
  const file = { id, name: 'passport.pdf', type: 'application/pdf', size: 1, hash: '00', application: clientId, uploadedBy: user };
  await api.ledger
    .insertInto('files')
    .values({ ...file, storedAt: sql`now()` })
    .execute();
  return id;
}

export async function newProfile(partner: Pick<Partner, 'post'>, kind: 'personal' | 'corporate' = 'personal'): Promise<string> {
  return (await partner.post('/profiles', { kind })).json.id;
}

/** Gives everything that a personal profile needs, so that it is in review. */
export async function completed(
  api: TestApi,
  partner: Pick<Partner, 'clientId' | 'user' | 'post' | 'patch'>,
  changes: Partial<typeof person> = {},
): Promise<string> {
  const id = await newProfile(partner);
  const fileId = await uploadedFile(api, partner);
  await partner.patch(`/profiles/${id}/details`, { personal: { ...person, ...changes } });
  await partner.patch(`/profiles/${id}/form`, { personal: personalForm });
  await partner.patch(`/profiles/${id}/verifications`, { personal: kinds.personal.map((kind) => ({ kind, fileId })) });
  return id;
}

/** Everything for a company but the last verification of a person. */
export async function nearlyComplete(api: TestApi, partner: Partner, id: string): Promise<{ fileId: string; personId: string }> {
  const fileId = await uploadedFile(api, partner);
  await partner.patch(`/profiles/${id}/details`, { corporate: company });
  await partner.patch(`/profiles/${id}/form`, { corporate: corporateForm });
  const { personId } = (await partner.get(`/profiles/${id}`)).json.verifications.find(
    ({ kind }: { kind: string }) => kind === 'idDocument',
  );
  const updates = kinds.corporate.map((kind) => ({ kind, documents: [{ fileId, kind: 'companyFilePDF' }] }));
  const given = { corporate: [...updates, { kind: 'idDocument', personId, fileId }] };
  await partner.patch(`/profiles/${id}/verifications`, given);
  return { fileId, personId };
}

/** The data of a profile's events, the oldest first. */
export async function eventsOf(api: TestApi, profile: string, type = 'profile.updated') {
  const rows = await api.ledger
    .selectFrom('events')
    .where('subject', '=', profile)
    .where('type', '=', type)
    .orderBy('id')
    .select('data')
    .execute();
  return rows.map(({ data }) => data);
}
