import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthApi, createOAuthApi } from '../oauth/client.ts';
import { createBrowser } from './browser.ts';

let api: OAuthApi;
beforeAll(async () => {
  api = await createOAuthApi();
});
afterAll(() => api.close());

describe('a person who comes without an application', () => {
  it('signs up, may leave what comes next for later, and finds the account again after signing in', async () => {
    const browser = createBrowser(api);
    const start = await browser.come();
    expect(start.url.pathname).toBe('/account/start');
    expect(start.html).toContain('href="sign-up"');
    const email = `${crypto.randomUUID()}@example.com`;
    const details = await browser.signUpOn(await browser.come('/sign-up'), email);
    expect(details.url.pathname).toBe('/account/details');
    const overview = await browser.come('/overview');
    expect(overview.html).toContain('<h1>Jane</h1>');
    expect(overview.html).toContain('href="details"');
    const out = await browser.submit(overview, 'sign-out', {});
    expect(out.url.pathname).toBe('/account/sign-in');
    expect((await browser.come('/overview')).url.pathname).toBe('/account/sign-in');
  });

  it('is shown no page of an application, and sends forms nowhere else', async () => {
    const browser = createBrowser(api);
    const missing = await browser.come('/consent');
    expect([missing.status, missing.html]).toEqual([404, expect.stringContaining('There is no such page.')]);
    expect((await browser.come('/')).url.pathname).toBe('/account/start');
    expect((await browser.come('/kind')).url.pathname).toBe('/account/sign-in');
    const { headers } = await browser.come('/sign-in');
    expect(headers.get('Content-Security-Policy')).toContain("form-action 'self';");
  });
});
