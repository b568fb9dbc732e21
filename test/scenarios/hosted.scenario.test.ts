import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../api/hosted/browser.ts';
import { type OAuthApi, createOAuthApi, pkce } from '../api/oauth/client.ts';
import { codeFor } from '../api/support/mails.ts';
import { hostile } from '../console/support/orders-of-all-kinds.ts';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { enterCode, fillSignUp, password } from '../support/chromium/people.ts';
import { addAuthenticator, desktop, openTab, phone } from '../support/chromium/tab.ts';

// What a script of a text would change is the title of the page; what the content security policy has stopped is a complaint of the browser.
const isStolen = async (page: Page) => (await page.title()) === 'stolen';

let api: OAuthApi;
let browser: Browser;
let clientId: string;
let callback: string;
const shop = createServer((_, response) => response.end('<h1>Corner Shop</h1>'));

beforeAll(async () => {
  if (!hasChromium) return;
  api = await createOAuthApi();
  await new Promise<void>((resolve) => void shop.listen(0, '127.0.0.1', resolve));
  // Another origin than the pages, as a client's always is.
  callback = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/callback`;
  clientId = await api.client({ redirectUris: [callback], permissions: ['read', 'write'] });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  shop.close();
  await api?.close();
});

/** Comes from the application to sign up, without the steps of a customer. */
async function arrive(options: BrowserContextOptions) {
  const tab = await openTab(browser, options);
  const { challenge, verifier } = await pkce();
  const request = { client_id: clientId, code_challenge: challenge, redirect_uri: callback, state: 's' };
  const query = new URLSearchParams({ ...request, auth_mode: 'signup', skip_kyc: 'true' });
  await tab.page.goto(`${api.url}/auth?${query.toString()}`);
  return { tab, verifier };
}

// People who become customers on these pages, and use their money, are in newcomers.sandbox.test.ts.
describe.runIf(hasChromium)('in Chromium', () => {
  it('a user without JavaScript signs in on a desktop and allows the application', async () => {
    const { tab, verifier } = await arrive({ ...desktop, javaScriptEnabled: false });
    const { page, press, heading } = tab;
    const email = 'john@example.com';
    await fillSignUp(tab, 'John', email);
    await enterCode(tab, () => codeFor(api, email));
    await press('Use another account');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    await heading('Allow Corner Shop?');
    await press('Allow');
    const granted = await exchange(api, clientId, new URL(page.url()), verifier, callback);
    expect(granted.access_token).toBeDefined();
  });

  it('a browser without a wallet says so, and the user goes on without', async () => {
    const { tab } = await arrive({ ...phone, colorScheme: 'dark' });
    const { page, press, follow, heading, picture } = tab;
    const email = 'joan@example.com';
    await fillSignUp(tab, 'Joan', email);
    await enterCode(tab, () => codeFor(api, email));
    await heading('Allow Corner Shop?');
    await page.goto(page.url().replace('/consent?', '/address?'));
    await press('Sign with your wallet');
    await page.getByText('There is no wallet in this browser.').waitFor();
    await picture('no-wallet');
    await follow('Not now');
    await press('Cancel');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  it('on the screen of a desktop and of a phone a user registers a passkey, signs in by it alone and after the password, and removes it', async () => {
    const tab = await openTab(browser, desktop);
    const { page, complaints, press, follow, heading, picture } = tab;
    const verified = await addAuthenticator(tab);
    const go = (name: string) => page.goto(`${api.url}/account/${name}`);
    const shot = async (name: string) => {
      for (const [device, { viewport }] of Object.entries({ phone, desktop })) {
        await page.setViewportSize(viewport);
        await picture(`passkeys-${device}-${name}`);
      }
    };
    const email = 'jane@example.com';
    await go('sign-up');
    await fillSignUp(tab, 'Jane', email);
    await enterCode(tab, () => codeFor(api, email));
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
    expect(complaints).toEqual([]);
  });

  it('texts that are scripts are texts, stored in names, and entered in every field of every form', async () => {
    const tab = await openTab(browser, { ...desktop, userAgent: hostile });
    const { page, complaints } = tab;
    page.on('dialog', (dialog) => void complaints.push(dialog.message()));
    const { challenge } = await pkce();
    const clientId = await api.client({ name: hostile });
    const request = new URLSearchParams({
      client_id: clientId,
      code_challenge: challenge,
      state: hostile,
      auth_mode: 'signup',
      skip_kyc: 'true',
    });
    await page.goto(`${api.url}/auth?${request.toString()}`);
    const email = `${randomUUID()}@example.com`;
    await fillSignUp(tab, hostile, email);
    await enterCode(tab, () => codeFor(api, email));
    const consent = new URL(page.url());
    expect(await page.getByText(hostile).count()).toBeGreaterThan(0);

    const query = (more: Record<string, string>) => {
      const parameters = new URLSearchParams(consent.search);
      for (const [name, value] of Object.entries(more)) parameters.set(name, value);
      return parameters.toString();
    };
    const signedIn =
      'overview kind details form verification progress address addresses factors passkeys add-passkey authenticator applications sessions password';
    const pages = [
      ...signedIn.split(' ').map((name) => `account/${name}`),
      `account/person?role=${encodeURIComponent(hostile)}`,
      `account/prove?next=${encodeURIComponent(hostile)}`,
      `authorize/consent?${query({})}`,
      ...['sign-in', 'sign-up', 'reset-password'].map((name) => `authorize/${name}?${query({ email: hostile })}`),
    ];
    for (const address of pages) {
      await page.goto(`${api.url}/${address}`);
      expect(await isStolen(page), address).toBe(false);
      const fields = page.locator('main form input:is([type=text], [type=email], :not([type])), main form textarea');
      const form = fields.first();
      if ((await fields.count()) === 0) continue;
      for (const field of await fields.all()) await field.fill(hostile);
      // As its button does, with what the form itself sends.
      await form.evaluate('(field) => field.form.requestSubmit()');
      await page.waitForLoadState();
      expect(await isStolen(page), `${address} with the form sent`).toBe(false);
    }
    expect(complaints).toEqual([]);
  });
});
