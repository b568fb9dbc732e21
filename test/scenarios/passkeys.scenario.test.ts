import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthApi, createOAuthApi } from '../api/oauth/client.ts';
import { codeFor } from '../api/support/mails.ts';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { enterCode, fillSignUp, password } from '../support/chromium/people.ts';
import { addAuthenticator, desktop, openTab, phone } from '../support/chromium/tab.ts';

let api: OAuthApi;
let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  api = await createOAuthApi();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await api?.close();
});

describe.runIf(hasChromium)('in Chromium', () => {
  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('on a %s a user registers a passkey, signs in by it alone and after the password, and removes it', async (device, options) => {
    const tab = await openTab(browser, options);
    const { page, complaints, press, follow, heading, picture } = tab;
    const verified = await addAuthenticator(tab);
    const go = (name: string) => page.goto(`${api.url}/account/${name}`);
    const shot = (name: string) => picture(`passkeys-${device}-${name}`);
    const email = `${device}@example.com`;
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
});
