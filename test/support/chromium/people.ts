import { pdf } from '../documents.ts';
import type { Tab } from './tab.ts';

/** The password of everybody who signs up. */
export const password = 'correct horse battery staple';

/** Fills in the page of a sign-up. */
export async function fillSignUp({ page, press }: Tab, name: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await press('Create account');
}

/** Enters the code that was mailed, once it is there. */
export async function enterCode({ page, press, heading }: Tab, code: () => Promise<string>): Promise<void> {
  await heading('Check your mail');
  await page.getByLabel('Code').fill(await code());
  await press('Continue');
}

/** Registers a passkey, from the overview of the account on, and comes back to the overview. */
export async function registerPasskey({ page, press, follow, heading, picture }: Tab, shown: string): Promise<void> {
  await follow('Passkeys and second factors');
  await follow('Add a passkey');
  await follow('Add a passkey');
  await page.getByLabel('Name').fill('My laptop');
  await press('Add it');
  await heading('Your recovery codes');
  await picture(`${shown}-recovery-codes`);
  await page.goto(page.url().replace(/\/[^/]*$/, '/overview'));
}

export async function fillResidence({ page }: Tab): Promise<void> {
  await page.getByLabel('Street and number').fill('Laugavegur 1');
  await page.getByLabel('Postal code').fill('101');
  await page.getByLabel('City').fill('Reykjavík');
  await page.getByLabel('Country', { exact: true }).selectOption('Iceland');
}

/** Fills in who somebody is, with a passport. */
export async function fillPerson(tab: Tab, firstName: string, lastName: string): Promise<void> {
  const { page } = tab;
  await page.getByLabel('First name').fill(firstName);
  await page.getByLabel('Last name').fill(lastName);
  await page.getByLabel('Date of birth').fill('1990-05-01');
  await page.getByLabel('Nationality').selectOption('Iceland');
  await fillResidence(tab);
  await page.getByLabel('Identity document').selectOption('Passport');
}

export async function fillPersonalForm({ page }: Tab): Promise<void> {
  await page.getByLabel('Occupation').selectOption('Employed');
  await page.getByLabel('Line of work').selectOption('Education');
  await page.getByLabel('Where most of your money comes from').selectOption('Salary');
  await page.getByLabel('Yearly income').selectOption('10,000 to 50,000');
  await page.getByLabel('Amount you will move').selectOption('Under 10,000');
  await page.getByLabel('Payments in a month').selectOption('Fewer than 5');
  await page.getByLabel('Buying goods or services').check();
  for (const answer of await page.getByLabel('No', { exact: true }).all()) await answer.check();
  await page.getByRole('group', { name: 'Is the money your own?' }).getByLabel('Yes').check();
  await page.getByLabel('Country in which you pay tax').selectOption('Iceland');
  await page.getByLabel('Your tax number there').fill('010190-2939');
}

/** Fills in a company, with one person who represents, directs and owns it, and goes on to its form. */
export async function fillCompany(tab: Tab, firstName: string, lastName: string): Promise<void> {
  const { page, press, picture } = tab;
  await page.getByLabel('Name of the company').fill('Acme ehf.');
  await page.getByLabel('Registration number').fill('123456-7890');
  await fillResidence(tab);
  await page.getByLabel('State or region').fill('Capital Region');
  await press('Add a representative');
  await fillPerson(tab, firstName, lastName);
  await page.getByLabel('Number of the document').fill('A1234567');
  await picture('company-person');
  await press('Save');
  await press(`${firstName} ${lastName} is a director, too`);
  await press('Save');
  await press(`${firstName} ${lastName} is a beneficial owner, too`);
  await page.getByLabel('Share of the company in percent').fill('100');
  await press('Save');
  await picture('company-details');
  await page.getByLabel('Name of the company').press('Enter');
}

export async function fillCompanyForm({ page }: Tab): Promise<void> {
  await page.getByLabel('What the company does').fill('Sells anvils.');
  await page.getByLabel('Line of business').selectOption('Retail');
  await page.getByLabel('What the account is for').selectOption('Collecting payments');
  await page.getByLabel('Where most of its money comes from').selectOption('Revenue');
  await page.getByLabel('Amount it will move').selectOption('Under 100,000');
  await page.getByLabel('Payments in a month').selectOption('Fewer than 100');
}

const passport = { name: 'passport.pdf', mimeType: 'application/pdf', buffer: pdf };

/** Sends a document for each verification that is missing, until everything is in review. */
export async function sendDocuments({ page, press }: Tab): Promise<void> {
  const inReview = page.getByText('We are looking at it');
  await page.getByRole('button', { name: 'Send' }).or(inReview).waitFor();
  while (!(await inReview.isVisible())) {
    const front = page.getByLabel('Front, or the page with the photo');
    if (await front.isVisible()) await page.getByLabel('Document', { exact: true }).selectOption('Passport');
    await ((await front.isVisible()) ? front : page.getByLabel('Files')).setInputFiles(passport);
    await press('Send');
    await page.waitForLoadState();
  }
}
