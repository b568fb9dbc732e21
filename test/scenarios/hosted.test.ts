import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { hexToString } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerApplication } from '../../src/ledger/access/application-registration.ts';
import { findUserByEmail } from '../../src/ledger/access/users.ts';
import { listAddresses } from '../../src/ledger/customers/addresses.ts';
import { decideProfile } from '../../src/ledger/customers/profile-review.ts';
import { exchange, password } from '../api/hosted/browser.ts';
import { pdf } from '../api/hosted/onboarding.ts';
import { type OAuthApi, createOAuthApi, pkce } from '../api/oauth/client.ts';
import { codeFor } from '../api/support/mails.ts';
import { createWallet } from '../api/support/test-api.ts';

/** Debian's Chromium, or another one; where there is none, the pages cannot be used as people use them. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A folder for pictures of every page, when somebody wants to look at them. */
const pictures = process.env['HOSTED_PICTURES'];

const phone: BrowserContextOptions = { viewport: { width: 360, height: 700 }, isMobile: true, hasTouch: true };

let api: OAuthApi;
let browser: Browser;
let clientId: string;
let callback: string;
const shop = createServer((_, response) => response.end('<h1>Corner Shop</h1>'));

beforeAll(async () => {
  api = await createOAuthApi();
  await new Promise<void>((resolve) => void shop.listen(0, '127.0.0.1', resolve));
  // Another origin than the pages, as a client's always is.
  callback = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/callback`;
  clientId = await api.client({ redirectUris: [callback], permissions: ['read', 'write'] });
  if (!existsSync(executablePath)) return;
  browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'].concat([
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ]),
  });
});
afterAll(async () => {
  await browser?.close();
  shop.close();
  await api?.close();
});

async function open(options: BrowserContextOptions, more: Record<string, string> = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  const { challenge, verifier } = await pkce();
  const query = new URLSearchParams({ client_id: clientId, code_challenge: challenge, redirect_uri: callback, state: 's', ...more });
  return { page, complaints, verifier, start: () => page.goto(`${api.url}/auth?${query.toString()}`) };
}

/** Enters the code that is mailed to an address. */
async function enterCode(page: Page, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.getByLabel('Code').fill(await codeFor(api, email));
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function picture(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), `${name} is wider than the screen`).toBe(true);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

/** A wallet in a page, as a browser extension puts it there. */
async function addWallet(page: Page) {
  const wallet = createWallet();
  await page.exposeFunction('signByTestWallet', (message: `0x${string}`) => wallet.signMessage({ message: hexToString(message) }));
  await page.addInitScript(`window.ethereum = { request: async ({ method, params }) =>
    method === 'eth_requestAccounts' ? ['${wallet.address}'] : window.signByTestWallet(params[0]) };`);
  return wallet;
}

async function signUp(page: Page, name: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
}

async function fillResidence(page: Page): Promise<void> {
  await page.getByLabel('Street and number').fill('Laugavegur 1');
  await page.getByLabel('Postal code').fill('101');
  await page.getByLabel('City').fill('Reykjavík');
  await page.getByLabel('Country', { exact: true }).selectOption('Iceland');
}

async function fillPerson(page: Page, firstName: string): Promise<void> {
  await page.getByLabel('First name').fill(firstName);
  await page.getByLabel('Last name').fill('Doe');
  await page.getByLabel('Date of birth').fill('1990-05-01');
  await page.getByLabel('Nationality').selectOption('Iceland');
  await fillResidence(page);
}

const passport = { name: 'passport.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await pdf().arrayBuffer()) };

/** Sends a document for each verification that is missing, until everything is in review. */
async function sendDocuments(page: Page): Promise<void> {
  const inReview = page.getByText('We are looking at it');
  await page.getByRole('button', { name: 'Send' }).or(inReview).waitFor();
  while (!(await inReview.isVisible())) {
    const front = page.getByLabel('Front, or the page with the photo');
    if (await front.isVisible()) await page.getByLabel('Document', { exact: true }).selectOption('Passport');
    await ((await front.isVisible()) ? front : page.getByLabel('Files')).setInputFiles(passport);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForLoadState();
  }
}

/** What the operator decides by `mintrail profile review --approve`. */
async function approve(email: string): Promise<string> {
  const user = await findUserByEmail(api.ledger, email);
  const { id } = await decideProfile(api.ledger, user?.defaultProfile ?? '', { decision: 'approved' }, { by: 'operator' });
  return id;
}

describe.runIf(existsSync(executablePath))('in Chromium', () => {
  it('the owner of a private application signs up, becomes a customer, links an address by a wallet, and requests an IBAN', async () => {
    const { page, complaints } = await open(phone);
    const wallet = await addWallet(page);
    const email = 'owner@example.com';
    const registration = {
      kind: 'private' as const,
      name: 'Treasury',
      owner: email,
      redirectUris: [],
      origins: [],
      permission: 'read' as const,
    };
    const { id, secret, state } = await registerApplication(api.ledger, registration, 'production');
    expect(state).toBe("waits for the approval of its owner's profile");

    await page.goto(`${api.url}/account`);
    await picture(page, 'owner-1-start');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await signUp(page, 'Jane', email);
    await enterCode(page, email);
    await page.getByRole('heading', { name: 'About you' }).waitFor();
    await picture(page, 'owner-2-details');
    await fillPerson(page, 'Jane');
    await page.getByLabel('Identity document').selectOption('Passport');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.evaluate('document.activeElement.id')).toBe('idDocument.number');
    await picture(page, 'owner-3-details-refused');
    await page.getByLabel('Number of the document').fill('A1234567');
    await page.getByRole('button', { name: 'Continue' }).click();

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
    await picture(page, 'owner-4-form');
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('heading', { name: 'Identity document' }).waitFor();
    await picture(page, 'owner-5-document');
    await page.getByLabel('Document', { exact: true }).selectOption('Passport');
    await page.getByLabel('Front, or the page').setInputFiles({ ...passport, buffer: Buffer.alloc(16 * 1024 * 1024, passport.buffer) });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('must be at most 5 MB').waitFor();
    await page.getByRole('link', { name: 'Not now' }).click();
    await picture(page, 'owner-6-overview');
    await page.getByRole('link', { name: 'Send your documents' }).click();
    await sendDocuments(page);
    await picture(page, 'owner-7-in-review');

    const profile = await approve(email);
    await page.goto(`${api.url}/account`);
    await page.getByRole('button', { name: 'Sign with your wallet' }).click();
    await page.getByText('You are verified.').waitFor();
    await picture(page, 'owner-8-verified');
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);

    const tokens = await api.form('/auth/token', { grant_type: 'client_credentials', client_id: id, client_secret: secret });
    const { access_token: token, profile: own } = (await tokens.json()) as { access_token: string; profile: string };
    expect(own).toBe(profile);
    const body = JSON.stringify({ address: wallet.address, chain: 'chiado' });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    expect((await fetch(`${api.url}/ibans`, { method: 'POST', body, headers })).status).toBe(202);
  });

  it('a customer of an application signs up for a company on a desktop, is approved, and allows the application', async () => {
    const { page, complaints, verifier, start } = await open({ viewport: { width: 1280, height: 800 } });
    const wallet = await addWallet(page);
    await start();
    await picture(page, 'company-1-start');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await signUp(page, 'Jane', 'jane');
    expect(await page.evaluate('document.activeElement.id')).toBe('email');
    await picture(page, 'company-2-sign-up-refused');
    const email = 'jane@example.com';
    await signUp(page, 'Jane', email);
    await enterCode(page, email);
    await page.getByRole('button', { name: 'It is for a company' }).click();
    await page.getByLabel('Name of the company').fill('Acme ehf.');
    await page.getByLabel('Registration number').fill('123456-7890');
    await fillResidence(page);
    await page.getByLabel('State or region').fill('Capital Region');
    await page.getByRole('button', { name: 'Add a representative' }).click();
    await fillPerson(page, 'Jane');
    await page.getByLabel('Identity document').selectOption('Passport');
    await page.getByLabel('Number of the document').fill('A1234567');
    await picture(page, 'company-3-person');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Jane Doe is a director, too' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Jane Doe is a beneficial owner, too' }).click();
    await page.getByLabel('Share of the company in percent').fill('100');
    await page.getByRole('button', { name: 'Save' }).click();
    await picture(page, 'company-4-details');
    await page.getByLabel('Name of the company').press('Enter');

    await page.getByLabel('What the company does').fill('Sells anvils.');
    await page.getByLabel('Line of business').selectOption('Retail');
    await page.getByLabel('What the account is for').selectOption('Collecting payments');
    await page.getByLabel('Where most of its money comes from').selectOption('Revenue');
    await page.getByLabel('Amount it will move').selectOption('Under 100,000');
    await page.getByLabel('Payments in a month').selectOption('Fewer than 100');
    await page.getByRole('button', { name: 'Continue' }).click();
    await sendDocuments(page);
    await picture(page, 'company-5-in-review');

    const profile = await approve(email);
    await page.reload();
    await page.getByRole('link', { name: 'Link an address' }).click();
    await picture(page, 'company-6-address');
    await page.getByRole('button', { name: 'Sign with your wallet' }).click();
    await page.getByRole('heading', { name: 'Allow Corner Shop?' }).waitFor();
    await picture(page, 'company-7-consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Corner Shop', exact: true }).waitFor();

    const back = new URL(page.url());
    expect(back.origin + back.pathname).toBe(callback);
    expect(back.searchParams.get('state')).toBe('s');
    const granted = await exchange(api, clientId, back, verifier, callback);
    expect(granted.profile).toBe(profile);
    const { rows: addresses } = await listAddresses(api.ledger, profile);
    expect(addresses).toEqual([{ profile, address: wallet.address.toLowerCase(), chains: ['chiado'] }]);
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('a user without JavaScript signs in on a desktop and allows the application', async () => {
    const { page, verifier, start } = await open(
      { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false },
      { auth_mode: 'signup', skip_kyc: 'true' },
    );
    await start();
    await page.getByLabel('Your name').fill('John');
    await page.getByLabel('Email address').fill('john@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await enterCode(page, 'john@example.com');
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByLabel('Email address').fill('john@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Allow Corner Shop?' }).waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    const granted = await exchange(api, clientId, new URL(page.url()), verifier, callback);
    expect(granted.access_token).toBeDefined();
  });

  it('a browser without a wallet says so, and the user goes on without', async () => {
    const { page, start } = await open({ ...phone, colorScheme: 'dark' }, { auth_mode: 'signup', skip_kyc: 'true' });
    await start();
    await page.getByLabel('Your name').fill('Joan');
    await page.getByLabel('Email address').fill('joan@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await enterCode(page, 'joan@example.com');
    await page.goto(page.url().replace('/consent?', '/address?'));
    await page.getByRole('button', { name: 'Sign with your wallet' }).click();
    await page.getByText('There is no wallet in this browser.').waitFor();
    await picture(page, '6-no-wallet');
    await page.getByRole('link', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});
