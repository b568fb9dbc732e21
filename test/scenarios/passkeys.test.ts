import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { password } from '../api/hosted/browser.ts';
import { type OAuthApi, createOAuthApi } from '../api/oauth/client.ts';
import { codeFor } from '../api/support/mails.ts';

/** Debian's Chromium, or another one. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A folder for pictures of every page, when somebody wants to look at them. */
const pictures = process.env['HOSTED_PICTURES'];

const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const phone: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

let api: OAuthApi;
let browser: Browser;
beforeAll(async () => {
  api = await createOAuthApi();
  if (!existsSync(executablePath)) return;
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
});
afterAll(async () => {
  await browser?.close();
  await api?.close();
});

/** A tab with an authenticator of its own, in which somebody is present and verified (CDP, domain WebAuthn). */
async function open(options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const verified = (isUserVerified: boolean) => devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const go = (name: string) => page.goto(`${api.url}/account/${name}`);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  return { page, complaints, verified, go, press, follow, heading };
}

async function picture(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), `${name} is wider than the screen`).toBe(true);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

describe.runIf(existsSync(executablePath))('in Chromium', () => {
  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('on a %s a user registers a passkey, signs in by it alone and after the password, and removes it', async (device, options) => {
    const { page, complaints, verified, go, press, follow, heading } = await open(options);
    const shot = (name: string) => picture(page, `passkeys-${device}-${name}`);
    const email = `${device}@example.com`;
    await go('sign-up');
    await page.getByLabel('Your name').fill('Jane');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await press('Create account');
    await heading('Check your mail');
    await page.getByLabel('Code').fill(await codeFor(api, email));
    await press('Continue');
    await heading('About you');

    await go('factors');
    await shot('1-factors');
    await follow('Add a passkey');
    await follow('Add a passkey');
    await page.getByLabel('Name').fill('My laptop');
    await shot('2-add');
    await press('Add it');
    await heading('Your recovery codes');
    await shot('3-recovery-codes');
    await go('passkeys');
    await shot('4-passkeys');
    await go('add-passkey');
    await page.getByLabel('Name').fill('Again');
    await press('Add it');
    await page.getByText('This device has a passkey for this account already.').waitFor();

    await go('overview');
    await shot('5-overview');
    await press('Sign out');
    await shot('6-sign-in');
    await follow('Sign in with a passkey');
    await verified(false);
    await press('Use a passkey');
    await page.getByText('No passkey was used. You can try again.').waitFor();
    await shot('7-passkey-refused');
    await verified(true);
    await press('Use a passkey');
    await heading('About you');

    await go('overview');
    await press('Sign out');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    await heading('One more step');
    await shot('8-second-factor');
    await press('Use a passkey');
    await heading('About you');

    await go('authenticator');
    await shot('9-app');
    await go('prove?next=authenticator');
    await shot('10-prove');
    await go('applications');
    await shot('11-applications');
    await go('passkeys');
    await press('Remove My laptop');
    await page.getByText('You have none yet.').waitFor();
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });
});
