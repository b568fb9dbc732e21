import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { hexToString } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAddresses } from '../../src/ledger/customers/addresses.ts';
import { exchange, password } from '../api/hosted/browser.ts';
import { type OAuthApi, createOAuthApi, pkce } from '../api/oauth/client.ts';
import { createWallet } from '../api/support/test-api.ts';

/** Debian's Chromium, or another one; where there is none, the pages cannot be used as people use them. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A folder for pictures of every page, when somebody wants to look at them. */
const pictures = process.env['HOSTED_PICTURES'];

const phone: BrowserContextOptions = { viewport: { width: 375, height: 700 }, isMobile: true, hasTouch: true };

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

async function picture(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), `${name} is wider than the screen`).toBe(true);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

describe.runIf(existsSync(executablePath))('in Chromium', () => {
  it('a new user on a phone signs up, says who they are, links an address by a wallet, and allows the application', async () => {
    const { page, complaints, verifier, start } = await open(phone);
    const wallet = createWallet();
    await page.exposeFunction('signByTestWallet', (message: `0x${string}`) => wallet.signMessage({ message: hexToString(message) }));
    await page.addInitScript(`window.ethereum = { request: async ({ method, params }) =>
      method === 'eth_requestAccounts' ? ['${wallet.address}'] : window.signByTestWallet(params[0]) };`);
    await start();
    await picture(page, '1-start');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Your name').fill('Jane');
    await page.getByLabel('Email address').fill('jane');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await picture(page, '2-sign-up-refused');
    expect(await page.evaluate('document.activeElement.id')).toBe('email');
    await page.getByLabel('Email address').fill('jane@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();

    await page.getByRole('heading', { name: 'About you' }).waitFor();
    await picture(page, '3-details');
    await page.getByLabel('First name').fill('Jane');
    await page.getByLabel('Last name').fill('Doe');
    await page.getByLabel('Date of birth').fill('1990-05-01');
    await page.getByLabel('Nationality').selectOption('IS');
    await page.getByLabel('Street and number').fill('Laugavegur 1');
    await page.getByLabel('Postal code').fill('101');
    await page.getByLabel('City').fill('Reykjavík');
    await page.getByLabel('Country').selectOption('IS');
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('heading', { name: 'Link your address' }).waitFor();
    await picture(page, '4-address');
    await page.getByRole('button', { name: 'Sign with your wallet' }).click();

    await page.getByRole('heading', { name: 'Allow Corner Shop?' }).waitFor();
    await picture(page, '5-consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Corner Shop', exact: true }).waitFor();

    const back = new URL(page.url());
    expect(back.origin + back.pathname).toBe(callback);
    expect(back.searchParams.get('state')).toBe('s');
    const granted = await exchange(api, clientId, back, verifier, callback);
    const { rows: addresses } = await listAddresses(api.ledger, granted.profile);
    expect(addresses).toEqual([{ profile: granted.profile, address: wallet.address.toLowerCase(), chains: ['chiado'] }]);
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
    await page.goto(page.url().replace('/consent?', '/address?'));
    await page.getByRole('button', { name: 'Sign with your wallet' }).click();
    await page.getByText('There is no wallet in this browser.').waitFor();
    await picture(page, '6-no-wallet');
    await page.getByRole('link', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});
