// A partner with a whitelabel application onboards a customer. It needs API, ID, SECRET, and PASSPORT, the path of a PDF.
// #region create
import { readFile } from 'node:fs/promises';
import { createClient } from 'mintrail-client';

const { API = '', ID = '', SECRET = '', PASSPORT = '' } = process.env;
const mintrail = createClient({ baseUrl: API, clientId: ID, clientSecret: SECRET });

// Your own id of the customer: repeated after a lost answer, the request is 409, and the customer is there.
const profile = crypto.randomUUID();
await mintrail.post('/profiles', { body: { id: profile, kind: 'personal' } });
// #endregion

// #region details
const path = { profile };
await mintrail.patch('/profiles/{profile}/details', {
  path,
  body: {
    personal: {
      firstName: 'Anna',
      lastName: 'Karlsson',
      address: 'Laugavegur 1',
      postalCode: '101',
      city: 'Reykjavik',
      country: 'IS',
      nationality: 'SE',
      birthday: '1990-02-28',
    },
  },
});
await mintrail.patch('/profiles/{profile}/form', {
  path,
  body: {
    personal: {
      occupation: 'OCCUPATION_EMPLOYED',
      profession: 'PROFESSION_LEGAL',
      fundOrigin: 'FUND_ORIGIN_SALARY',
      annualIncome: 'ANNUAL_INCOME_FROM_50K_TO_150K',
      monthlyTurnover: 'TURNOVER_UNDER_10K',
      monthlyTransactionCount: 'TRANSACTION_COUNT_UNDER_5',
      activities: ['ACTIVITY_COMMERCE_BUYING'],
      publicFunction: false,
      fundOwner: true,
      usCitizen: false,
      usTaxPerson: false,
      tin: '1234567890',
      taxResidenceCountry: 'IS',
    },
  },
});
// #endregion

// #region verifications
const passport = await mintrail.upload(new File([await readFile(PASSPORT)], 'passport.pdf'));
const kinds = ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'] as const;
await mintrail.patch('/profiles/{profile}/verifications', {
  path,
  body: { personal: kinds.map((kind) => ({ kind, fileId: passport.id })) },
});
// #endregion

// #region state
const { state, verifications } = await mintrail.get('/profiles/{profile}', { path });
const missing = verifications.filter((verification) => verification.state === 'incomplete');
console.log('done', state, missing.length);
// #endregion
