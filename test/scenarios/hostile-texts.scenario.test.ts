import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { requestApproval } from '../../src/ledger/operators/approvals.ts';
import { createOAuthApi, type OAuthApi, pkce } from '../api/oauth/client.ts';
import { codeFor } from '../api/support/mails.ts';
import { createConsolePages } from '../console/support/console-pages.ts';
import { hostile, placeOrdersOfAllKinds } from '../console/support/orders-of-all-kinds.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { enterCode, fillSignUp } from '../support/chromium/people.ts';
import { desktop, openTab } from '../support/chromium/tab.ts';

// What a script of a text would change is the title of the page; what the content security policy has stopped is a complaint of the browser.
const isStolen = async (page: Page) => (await page.title()) === 'stolen';

describe.runIf(hasChromium)('in Chromium, texts that are scripts are texts', () => {
  describe('on the hosted pages', () => {
    let api: OAuthApi;
    let browser: Browser;
    beforeAll(async () => {
      api = await createOAuthApi();
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await api?.close();
    });

    it('stored in names, and entered in every field of every form', async () => {
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

  describe('in the console', () => {
    let payments: PaymentsLedger;
    let console: Awaited<ReturnType<typeof createConsolePages>>;
    let subjects: { profile: string; orders: string[] };
    beforeAll(async () => {
      payments = await createPaymentsLedger();
      const { stuck, paid, replaced, credit } = await placeOrdersOfAllKinds(payments);
      const { ledger } = payments;
      const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: hostile });
      const { id: application } = await createApplication(ledger, { kind: 'whitelabel', name: hostile, owner });
      const profile = await createProfile(ledger, { kind: 'corporate', name: hostile, state: 'pending', application });
      await sql`update users set name = ${hostile}`.execute(ledger);
      await sql`update profiles set name = ${hostile}`.execute(ledger);
      subjects = { profile, orders: [stuck, paid.order, replaced.order, credit.order] };
      console = await createConsolePages({ env: { FOUR_EYES: 'yes' }, url: payments.url });
      const { name } = await console.signedIn('treasurer');
      await requestApproval(console.ledger, name, {
        action: 'orders.give-back',
        input: JSON.stringify({ order: hostile }),
        description: hostile,
      });
    });
    afterAll(async () => {
      await console?.close();
      await payments?.close();
    });

    it('of customers, partners and payers, on every page', async () => {
      const { page, complaints, context } = await console.openAs('administrator', '/');
      const bank = ['', '/claims', '/closing', '/debits', '/files', '/payment-files', '/payments', '/recalls', '/statements'];
      const others = [
        '/',
        '/account',
        '/applications',
        '/approvals',
        '/audit',
        '/customers',
        '/networks',
        '/operators',
        '/orders',
        '/settings',
        '/webhooks',
      ];
      const search = encodeURIComponent(hostile);
      const addresses = [
        ...others,
        ...bank.map((name) => `/bank${name}`),
        ...subjects.orders.map((id) => `/orders/${id}`),
        `/customers/${subjects.profile}`,
        `/orders?q=${search}`,
        `/customers?q=${search}`,
      ];
      for (const address of addresses) {
        await page.goto(console.url + address);
        await page.getByText('Live', { exact: true }).waitFor();
        await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
        expect(await isStolen(page), address).toBe(false);
      }
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});
