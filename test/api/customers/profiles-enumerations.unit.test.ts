import { describe, expect, it } from 'vitest';
import { corporateForm as corporateSchema, personalForm as personalSchema } from '../../../src/api/customers/profile-form-schema.ts';
import { corporateVerifications, personalVerifications } from '../../../src/api/customers/profile-verifications-schema.ts';
import { personalDetails } from '../../../src/api/customers/profile-details-schema.ts';
import { fieldMessages } from '../../../src/api/http/errors.ts';
import { corporateForm, kinds, person, personalForm } from './profiles-data.ts';

/** The enumerated values of onboarding (docs/api.md, Profiles). */
const personal: Record<string, [prefix: string, names: string]> = {
  occupation: ['OCCUPATION', 'STUDENT, EMPLOYED, SELF_EMPLOYED, UNEMPLOYED, RETIRED'],
  profession: [
    'PROFESSION',
    'ACCOUNTANCY, ADMINISTRATIVE, AGRICULTURE, ARTS_ENTERTAINMENT_MEDIA, BROKER_DEALER, CATERING_HOSPITALITY_TOURISM, CHARITY, CONSTRUCTION_REAL_ESTATE, DEALER_HIGH_VALUE_GOODS, DEALER_PRECIOUS_METALS, EDUCATION, EMERGENCY_SERVICES, EXTRACTIVE_INDUSTRY, FINANCIAL_SERVICES_BANKING, FINANCIAL_SERVICES_INSURANCE, FINANCIAL_SERVICES_OTHER, FINANCIAL_SERVICES_PRIVATE_BANKING, GAMBLING, GOVERNMENT, HEALTH_CARE, INFORMATION_TECHNOLOGY, LEGAL, MANUFACTURING, MARKETING, MILITARY, MONEY_SERVICE_BUSINESS, PENSIONER, PUBLIC_PROCUREMENT, RETAIL_SALES',
  ],
  fundOrigin: ['FUND_ORIGIN', 'SALARY, DIVIDENDS, INHERITANCE, SAVINGS, INVESTMENT, GIFT, MINING, REAL_ESTATE, LOAN'],
  annualIncome: ['ANNUAL_INCOME', 'UNDER_10K, FROM_10K_TO_50K, FROM_50K_TO_150K, FROM_150K_TO_300K, MORE_THAN_300K'],
  monthlyTurnover: ['TURNOVER', 'UNDER_10K, 10K_TO_50K, 50K_TO_150K, 150K_TO_500K, MORE_THAN_500K'],
  monthlyTransactionCount: ['TRANSACTION_COUNT', 'UNDER_5, 5_TO_50, 50_TO_100, 100_TO_200, MORE_THAN_200'],
};

const corporate: Record<string, [prefix: string, names: string]> = {
  legalForm: [
    'LEGAL_FORM',
    'PUBLIC_LIMITED, PRIVATE_LIMITED, PARTNERSHIPS, SOLE_TRADERS_PROPRIETORSHIPS, PUBLIC_AUTHORITIES, NON_PROFIT, BRANCHES, OTHER',
  ],
  purpose: ['PURPOSE', 'COLLECTING_PAYMENTS, PAYING_FOR_GOODS, BUY_SELL_CRYPTO_CURRENCIES, ENGAGE_IN_DEFI, OTHER'],
  activity: [
    'ACTIVITY',
    'ACCOMMODATION_FOOD_TRAVEL, ACCOUNTING_LEGAL_CONSULTANCY, ADULT_ENTERTAINMENT, ADVERTISING, AGRICULTURE, ARTS_ENTERTAINMENT, CHARITY, CONSTRUCTION, DEALER_HIGH_VALUE_GOODS, ECOMMERCE, EDUCATION, EXTRACTIVE_INDUSTRY, GAMBLING, HEALTH_SERVICES, MANUFACTURING, MARKETPLACE, MEDIA, MULTI_LEVEL_MARKETING, PERSONAL_INVESTMENT, PUBLIC_SECTOR, REAL_ESTATE, RETAIL, SOCIAL_WORK, SOFTWARE_TECHNOLOGY, TELECOM, TRANSPORTATION, UTILITIES, CRYPTO_SERVICES, FINANCIAL_INSTITUTION, OTHER',
  ],
  fundOrigin: ['FUND_ORIGIN', 'REVENUE, PROFIT_DIVIDENDS, LOAN, INVESTMENTS, CUSTOMER_FUNDS, THIRD_PARTIES_FUNDS'],
  monthlyTurnover: ['TURNOVER', 'UNDER_100K, 100K_TO_250K, MORE_THAN_250K'],
  monthlyTransactionCount: ['TRANSACTION_COUNT', 'UNDER_100, 100_TO_250, MORE_THAN_250'],
};

const forms = [
  ...Object.entries(personal).map(([field, of]) => ({
    of: 'person',
    field,
    schema: personalSchema,
    valid: personalForm,
    values: values(of),
  })),
  ...Object.entries(corporate).map(([field, of]) => ({
    of: 'company',
    field,
    schema: corporateSchema,
    valid: corporateForm,
    values: values(of),
  })),
];

function values([prefix, names]: [string, string]): string[] {
  return names.split(', ').map((name) => `${prefix}_${name}`);
}

const fileId = '00000000-0000-4000-8000-000000000000';

describe('the form of a', () => {
  it.each(forms)('$of takes every $field and no other', ({ field, schema, valid, values }) => {
    for (const value of values) expect(schema.safeParse({ ...valid, [field]: value }).data).toMatchObject({ [field]: value });
    for (const value of ['', 'OTHER', values[0]?.toLowerCase(), `${values[0]} `, `${values[0]}_X`, 1, null, [values[0]]]) {
      const { error } = schema.safeParse({ ...valid, [field]: value });
      expect(fieldMessages(error?.issues ?? [])).toEqual({ [field]: `must be one of ${values.join(', ')}` });
    }
  });

  it('person takes every activity, and OTHER with a word about it', () => {
    const activities = values(['ACTIVITY', 'COMMERCE_SELLING, COMMERCE_BUYING, INVESTING_CRYPTO, OTHER']);
    expect(personalSchema.safeParse({ ...personalForm, activities, activityOther: 'Art' }).success).toBe(true);
    for (const activityOther of [undefined, '', ' ']) {
      const { error } = personalSchema.safeParse({ ...personalForm, activities, activityOther });
      expect(fieldMessages(error?.issues ?? [])).toEqual({ activityOther: 'is required with ACTIVITY_OTHER' });
    }
    for (const wrong of [[], ['ACTIVITY_RETAIL'], ['ACTIVITY_COMMERCE_BUYING', 'ACTIVITY_COMMERCE_BUYING'], 'ACTIVITY_OTHER'])
      expect(personalSchema.safeParse({ ...personalForm, activities: wrong }).success).toBe(false);
  });

  it.each([
    ['person', personalSchema, personalForm, []],
    ['company', corporateSchema, corporateForm, ['legalForm']],
  ] as const)('%s needs every field', (_, schema, valid, optional) => {
    const { error } = schema.safeParse({});
    expect(Object.keys(fieldMessages(error?.issues ?? [])).toSorted()).toEqual(Object.keys(valid).toSorted());
    expect(optional.every((name) => !(name in valid))).toBe(true);
    expect(schema.safeParse({ ...valid, purposeOfAccount: 'x' }).success).toBe(true);
  });
});

const documentKinds = [
  'passport',
  'nationalIdentityCard',
  'drivingLicense',
  'residencePermit',
  'proofOfResidency',
  'sourceOfFunds',
  'companyFilePDF',
  'other',
];

const takes = (document: object) => personalVerifications.safeParse([{ kind: 'idDocument', documents: [document] }]).success;
const texts = (given: unknown) => fieldMessages(personalVerifications.safeParse(given).error?.issues ?? []);

describe('verifications', () => {
  it('take every kind of their profile, and no other', () => {
    for (const kind of kinds.personal) expect(personalVerifications.safeParse([{ kind, fileId }]).success).toBe(true);
    for (const kind of [...kinds.corporate, 'idDocument', 'proofOfResidency'])
      expect(corporateVerifications.safeParse([{ kind, fileId, personId: fileId }]).success).toBe(true);
    for (const kind of ['corporateName', 'passport', '', 1])
      expect(personalVerifications.safeParse([{ kind, fileId }]).success).toBe(false);
    for (const kind of ['facialSimilarity', '', null])
      expect(corporateVerifications.safeParse([{ kind, fileId, personId: fileId }]).success).toBe(false);
  });

  it('take documents of every kind and side, of which only the file is needed', () => {
    expect(documentKinds.every((kind) => takes({ kind, fileId, side: 'front' }))).toBe(true);
    expect([takes({ fileId }), takes({ fileId, side: 'back' })]).toEqual([true, true]);
    expect([takes({}), takes({ fileId: 'x' }), takes({ fileId, side: 'left' }), takes({ fileId, kind: 'visa' })]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('need a document, and none twice', () => {
    expect(texts([{ kind: 'idDocument' }])).toEqual({ '0.documents': 'is required: at least one document, or fileId' });
    expect(texts([{ kind: 'idDocument', documents: [] }])).toEqual({ '0.documents': expect.stringContaining('is required') });
    expect(texts(Array.from({ length: 2 }, () => ({ kind: 'idDocument', fileId })))).toEqual({ '1.kind': 'appears twice' });
    expect(texts([])).toEqual({ body: 'must hold at least one verification' });
  });

  it('and details know the same kinds of documents', () => {
    for (const kind of documentKinds)
      expect(personalDetails.safeParse({ ...person, idDocument: { number: 'A1', kind } }).success).toBe(true);
    expect(personalDetails.safeParse({ ...person, idDocument: { number: 'A1', kind: 'visa' } }).success).toBe(false);
  });
});
