import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkAddress, listAddresses } from '../../../src/ledger/customers/addresses.ts';
import { findProfile } from '../../../src/ledger/customers/profile-sections.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createBrowser, password } from './browser.ts';
import { type OAuthApi, createOAuthApi } from '../oauth/client.ts';
import { createWallet, linkMessage } from '../support/test-api.ts';

let api: OAuthApi;
let clientId: string;
beforeAll(async () => {
  api = await createOAuthApi();
  clientId = await api.client();
});
afterAll(() => api.close());

const person = {
  firstName: 'Jane',
  lastName: 'Doe',
  birthday: '1990-05-01',
  nationality: 'IS',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavík',
  country: 'IS',
};

/** A new user before the first page of onboarding. */
async function newcomer() {
  const browser = createBrowser(api);
  const email = `${crypto.randomUUID()}@example.com`;
  const { page } = await browser.arrive(clientId, { auth_mode: 'signup', skip_kyc: 'false' });
  const details = await browser.submit(page, 'sign-up', { name: 'Jane', email, password });
  expect(details.url.pathname).toBe('/authorize/details');
  const { defaultProfile: profile } = await api.ledger
    .selectFrom('users')
    .where('email', '=', email)
    .select('defaultProfile')
    .executeTakeFirstOrThrow();
  return { browser, details, profile: profile ?? '', email };
}

/** The same after the page of personal details. */
async function atAddress() {
  const { browser, details, profile } = await newcomer();
  return { browser, profile, page: await browser.submit(details, 'details', person) };
}

describe('the page of personal details', () => {
  it('gives them to the profile, and is not shown again', async () => {
    const { browser, details, profile, email } = await newcomer();
    expect((await browser.submit(details, 'details', person)).url.pathname).toBe('/authorize/address');
    expect(await findProfile(api.ledger, profile)).toMatchObject({ name: 'Jane Doe', state: 'incomplete', details: { state: 'pending' } });

    const later = createBrowser(api);
    const { page } = await later.arrive(clientId, { auth_mode: 'login', skip_kyc: 'false' });
    expect((await later.submit(page, 'sign-in', { email, password })).url.pathname).toBe('/authorize/address');
    expect((await later.visit(details.url)).url.pathname).toBe('/authorize/address');
    const again = await browser.submit(details, 'details', { ...person, firstName: 'Eve' });
    expect(again.url.pathname).toBe('/authorize/address');
    expect((await findProfile(api.ledger, profile))?.name).toBe('Jane Doe');
    const { actorKind, action } = await api.ledger
      .selectFrom('auditLog')
      .where('subject', '=', profile)
      .orderBy('id', 'desc')
      .select(['actorKind', 'action'])
      .executeTakeFirstOrThrow();
    expect(actorKind, action).toBe('user');
  });

  it('says what is wrong beside each field', async () => {
    const { browser, details, profile } = await newcomer();
    const wrong = { ...person, lastName: '', birthday: '2020-01-01', country: 'KP', city: 'x'.repeat(71) };
    const { status, html } = await browser.submit(details, 'details', wrong);
    expect(status).toBe(400);
    for (const text of ['Last name must', 'Date of birth must be at least 18 years ago', 'City must be', 'Country '])
      expect(html).toContain(text);
    expect(html).toContain('value="Laugavegur 1"');
    expect((await findProfile(api.ledger, profile))?.details.state).toBe('incomplete');
  });

  it('offers no country from which nobody is served', async () => {
    const { details } = await newcomer();
    expect(details.html).toContain('<option value="IS"');
    expect(details.html).not.toContain('<option value="KP"');
  });

  it('is left out by skip_kyc in the sandbox, and not in production', async () => {
    expect((await createBrowser(api).signUp(clientId)).page.url.pathname).toBe('/authorize/consent');
    const production = await createOAuthApi({ MINTRAIL_ENVIRONMENT: 'production' });
    const { page } = await createBrowser(production).signUp(await production.client());
    expect(page.url.pathname).toBe('/authorize/details');
    await production.close();
  });
});

describe('the page of the address', () => {
  it('links the address that a wallet signs for, and leads on to consent', async () => {
    const { browser, profile, page } = await atAddress();
    const wallet = createWallet();
    const signature = await wallet.signMessage({ message: linkMessage });
    const next = await browser.submit(page, 'address', { chain: 'chiado', address: wallet.address, signature });
    expect(next.url.pathname).toBe('/authorize/consent');
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([
      { profile, address: wallet.address.toLowerCase(), chains: ['chiado'] },
    ]);
  });

  it('says why an address is not linked: it is linked elsewhere, or nothing of it is sound', async () => {
    const { browser, profile, page } = await atAddress();
    const [wallet, other] = [createWallet(), await api.user()];
    await linkAddress(api.ledger, { profile: other.profile, address: lowerAddress(wallet.address), chain: 'chiado', user: other.id });
    const signature = await wallet.signMessage({ message: linkMessage });
    const taken = await browser.submit(page, 'address', { chain: 'chiado', address: wallet.address, signature });
    expect(taken.html).toContain('The address was not linked (address: already linked).');
    const unsound = await browser.submit(page, 'address', { chain: 'mars', address: '0x', signature: '' });
    expect(unsound.status).toBe(400);
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([]);
  });

  it('can be left for later, and runs the one script there is', async () => {
    const { page } = await atAddress();
    expect(page.html.match(/<script[^>]*>/g)).toEqual(['<script src="wallet.js" defer>']);
    expect(page.html).toMatch(/<a class="button secondary" href="consent\?/);
  });
});
