import type { OAuthApi } from '../oauth/client.ts';
import { type createBrowser, type Shown } from './browser.ts';
import { png } from '../../support/documents.ts';

/** What people enter on the pages of the onboarding. */

export const person = {
  firstName: 'Jane',
  lastName: 'Doe',
  birthday: '1990-05-01',
  nationality: 'IS',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavík',
  country: 'IS',
};

export const passport = { 'idDocument.kind': 'passport', 'idDocument.number': 'A1234567' };

export const personForm = {
  occupation: 'OCCUPATION_EMPLOYED',
  profession: 'PROFESSION_EDUCATION',
  fundOrigin: 'FUND_ORIGIN_SALARY',
  annualIncome: 'ANNUAL_INCOME_FROM_10K_TO_50K',
  monthlyTurnover: 'TURNOVER_UNDER_10K',
  monthlyTransactionCount: 'TRANSACTION_COUNT_UNDER_5',
  activities: ['ACTIVITY_COMMERCE_BUYING', 'ACTIVITY_OTHER'],
  activityOther: 'Rent',
  publicFunction: 'false',
  fundOwner: 'true',
  usCitizen: 'false',
  usTaxPerson: 'false',
  tin: '010190-2939',
  taxResidenceCountry: 'IS',
};

export const company = {
  name: 'Acme ehf.',
  registrationNumber: '123456-7890',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavík',
  country: 'IS',
  countryState: 'Capital Region',
};

export const companyForm = {
  service: 'Sells anvils.\r\nBy post.',
  legalForm: '',
  purpose: 'PURPOSE_COLLECTING_PAYMENTS',
  activity: 'ACTIVITY_RETAIL',
  fundOrigin: 'FUND_ORIGIN_REVENUE',
  monthlyTurnover: 'TURNOVER_UNDER_100K',
  monthlyTransactionCount: 'TRANSACTION_COUNT_UNDER_100',
};

export const picture = (name = 'document.png') => new File([png], name, { type: 'image/png' });

type Browser = ReturnType<typeof createBrowser>;

/** Signs a new person up on a page of the sign-up; they end on the page of the details. */
export async function signUpOn(api: Pick<OAuthApi, 'ledger'>, browser: Browser, page: Shown, email = `${crypto.randomUUID()}@example.com`) {
  const details = await browser.signUpOn(page, email);
  const { defaultProfile } = await api.ledger
    .selectFrom('users')
    .where('email', '=', email)
    .select('defaultProfile')
    .executeTakeFirstOrThrow();
  return { details, profile: defaultProfile ?? '', email };
}

/** Sends documents for everything that is missing, from the first page of a verification on. Returns the page that follows. */
export async function sendDocuments(browser: Browser, first: Shown): Promise<Shown> {
  let page = first;
  while (page.url.pathname.endsWith('/verification')) {
    const isIdentity = page.html.includes('name="front"');
    page = isIdentity
      ? await browser.upload(page, 'verification', { kind: 'passport' }, [
          ['front', picture('passport.png')],
          ['back', new File([], '')],
        ])
      : await browser.upload(page, 'verification', {}, [['file', picture()]]);
    if (page.status !== 200) throw new Error(page.html);
  }
  return page;
}
