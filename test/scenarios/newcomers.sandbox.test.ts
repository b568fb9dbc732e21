import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { type Client, createClient, MintrailApiError, paymentMessage } from '../../client/index.ts';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { addAuthenticator, addWallet, desktop, openTab, phone, type Tab } from '../support/chromium/tab.ts';
import * as people from '../support/chromium/people.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { until } from '../support/until.ts';
import { openIban } from './customers.ts';
import { expectReconciled } from './expect-reconciled.ts';
import { sharedSandbox } from './shared-sandbox.ts';

/** The sandbox leaves the review of whoever has this family name to the operator (docs/sandbox.md, Reviews). */
const leftToOperator = 'Review';

const chain = 'chiado';
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const payee = { standard: 'iban', iban: 'DE89370400440532013000' } as const;

let dataDir: string;
let file: SandboxFile;
let browser: Browser;
/** The page of an application, at an origin of its own. */
const shop = createServer((_, response) => response.end('<h1>Corner Shop</h1>'));

beforeAll(async () => {
  if (!hasChromium) return;
  const listening = new Promise<void>((resolve) => void shop.listen(0, '127.0.0.1', resolve));
  [{ dataDir, file }, browser] = await Promise.all([sharedSandbox(), launchChromium(), listening]);
});
afterAll(async () => {
  await browser?.close();
  shop.close();
});

/** What an operator does in a terminal. Returns what the command prints as JSON. */
async function operator<Printed>(...args: string[]): Promise<Printed> {
  const { code, stdout, stderr } = await mintrail([...args, '--json'], { MINTRAIL_DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`mintrail ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Printed;
}

/** Somebody with a browser, a device that keeps passkeys, and a wallet. */
async function newcomer(options: BrowserContextOptions): Promise<Tab & { wallet: PrivateKeyAccount }> {
  const tab = await openTab(browser, options);
  await addAuthenticator(tab);
  return { ...tab, wallet: await addWallet(tab) };
}

/** The code in the mail to an address, as `/sandbox/mail` shows it. */
const mailedCode = (email: string) => () =>
  until(`a mail to ${email}`, async () => {
    const list = await fetch(`${file.apiUrl}/sandbox/mail`);
    const { mails } = (await list.json()) as { mails: { id: string; recipient: string; subject: string }[] };
    const mail = mails.find(({ recipient, subject }) => recipient === email && subject.startsWith('Your code for'));
    if (!mail) return undefined;
    const { text } = (await (await fetch(`${file.apiUrl}/sandbox/mail/${mail.id}`)).json()) as { text: string };
    return /^Your code is (\d+)\./.exec(text)?.[1];
  });

async function approve(name: string): Promise<string> {
  const waiting = await operator<{ id: string; name: string }[]>('profile', 'list', '--state', 'pending');
  const { id = '' } = waiting.find((profile) => profile.name === name) ?? {};
  await operator('profile', 'review', id, '--approve', '--yes');
  return id;
}

async function signInByPasskey({ press, follow }: Tab): Promise<void> {
  await follow('Sign in with a passkey');
  await press('Use a passkey');
}

async function linkWallet({ page, press }: Tab): Promise<void> {
  await page.getByLabel('Chain').selectOption(chain);
  await press('Sign with your wallet');
}

/** Requests an IBAN, receives a hundred euros there, and pays some of them to a bank account. Ends when all is done, on the chain and at the bank. */
async function receiveAndSend(client: Client, wallet: PrivateKeyAccount): Promise<void> {
  const { address } = wallet;
  const iban = await openIban(client, address, chain);
  const credit = await client.post('/sandbox/credits', { body: { iban, amount: '100.00', currency: 'eur', payer } });
  await processed(client, credit.order?.id);

  const payment = { kind: 'redeem', address, chain, currency: 'eur', amount: '10.50' } as const;
  const message = paymentMessage({ ...payment, to: payee });
  const counterpart = { identifier: payee, details: { name: 'Max Mustermann', country: 'DE' } };
  const signature = await wallet.signMessage({ message });
  const placed = await client.post('/orders', { body: { ...payment, counterpart, message, signature } });
  await processed(client, 'id' in placed ? placed.id : undefined);
  const { balances } = await client.get('/balances/{chain}/{address}', { path: { chain, address } });
  expect(balances).toEqual([{ currency: 'eur', amount: '89.50' }]);
}

async function processed(client: Client, orderId = ''): Promise<void> {
  await until(`the order ${orderId} is processed`, async () => {
    const { state } = await client.get('/orders/{orderId}', { path: { orderId } });
    if (state === 'rejected') throw new Error(`the order ${orderId} is rejected`);
    return state === 'processed' || undefined;
  });
}

const refused = async (answer: Promise<unknown>) => answer.then(String, (error: MintrailApiError) => `${error.status} ${error.reason}`);

describe.runIf(hasChromium)('from nothing, in Chromium', () => {
  it.concurrent('the owner of a private application becomes a customer, who receives and sends money by its credentials', async () => {
    const tab = await newcomer(phone);
    const { page, press, follow, heading, picture, wallet, complaints } = tab;
    const email = 'anna@example.com';
    const named = ['--kind', 'private', '--name', 'Treasury', '--owner', email];
    const application = await operator<{ clientId: string; clientSecret: string }>('app', 'create', ...named, '--yes');
    const client = createClient({ baseUrl: file.apiUrl, ...application });

    await page.goto(`${file.apiUrl}/account`);
    await picture('owner-1-start');
    await follow('Create an account');
    await people.fillSignUp(tab, 'Anna', email);
    await people.enterCode(tab, mailedCode(email));
    await heading('About you');
    await picture('owner-2-details');
    await follow('Not now');
    await people.registerPasskey(tab, 'owner');
    await press('Sign out');
    await signInByPasskey(tab);

    await people.fillPerson(tab, 'Anna', leftToOperator);
    await press('Continue');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('idDocument.number');
    await picture('owner-3-details-refused');
    await page.getByLabel('Number of the document').fill('A1234567');
    await press('Continue');
    await people.fillPersonalForm(tab);
    await picture('owner-4-form');
    await press('Continue');
    await heading('Identity document');
    await picture('owner-5-document');
    await people.sendDocuments(tab);
    await picture('owner-6-in-review');

    await approve(`Anna ${leftToOperator}`);
    await page.goto(`${file.apiUrl}/account`);
    await picture('owner-7-address');
    // Of several chains none is chosen for the owner.
    await press('Sign with your wallet');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('chain');
    await linkWallet(tab);
    await page.getByText('You are verified.').waitFor();
    await page.getByText(`${wallet.address} on ${chain}`).waitFor();
    await picture('owner-8-verified');
    await receiveAndSend(client, wallet);
    expect(complaints).toEqual([]);
  });

  it.concurrent('a company becomes the customer of an application, lets it receive and send money, and takes that back', async () => {
    const tab = await newcomer(desktop);
    const { page, press, follow, heading, picture, wallet, complaints } = tab;
    const email = 'jane@example.com';
    const callback = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/callback`;
    const named = ['--kind', 'authorization_code', '--name', 'Corner Shop', '--owner', 'shop@example.com'];
    const registered = ['app', 'create', ...named, '--permission', 'write', '--redirect-uri', callback, '--yes'];
    const { clientId } = await operator<{ clientId: string }>(...registered);
    const verifier = generateRandomCodeVerifier();
    const pkce = { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
    const asked = { response_type: 'code', client_id: clientId, redirect_uri: callback, state: 'from-the-shop', ...pkce };
    const authorization = `${file.apiUrl}/auth?${new URLSearchParams(asked).toString()}`;

    await page.goto(authorization);
    await picture('company-1-start');
    await follow('Create an account');
    await people.fillSignUp(tab, 'Jane', 'jane');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('email');
    await picture('company-2-sign-up-refused');
    await people.fillSignUp(tab, 'Jane', email);
    await people.enterCode(tab, mailedCode(email));
    await press('It is for a company');
    await people.fillCompany(tab, 'Jane', leftToOperator);
    await people.fillCompanyForm(tab);
    await press('Continue');
    await people.sendDocuments(tab);
    await picture('company-3-in-review');
    await page.goto(`${file.apiUrl}/account/overview`);
    await people.registerPasskey(tab, 'company');
    await press('Sign out');

    const profile = await approve('Acme ehf.');
    await page.goto(authorization);
    await follow('Sign in');
    await signInByPasskey(tab);
    await heading('Link your address');
    await picture('company-4-address');
    await linkWallet(tab);
    await heading('Allow Corner Shop?');
    await picture('company-5-consent');
    await press('Allow');
    await heading('Corner Shop');

    const back = new URL(page.url());
    expect(back.origin + back.pathname).toBe(callback);
    expect(back.searchParams.get('state')).toBe('from-the-shop');
    const code = { code: back.searchParams.get('code') ?? '', code_verifier: verifier, redirect_uri: callback };
    const granted = await token({ grant_type: 'authorization_code', client_id: clientId, ...code });
    expect(granted.profile).toBe(profile);
    const client = createClient({ baseUrl: file.apiUrl, accessToken: () => granted.access_token });
    await receiveAndSend(client, wallet);

    await page.goto(`${file.apiUrl}/account`);
    await follow('Connected applications');
    await picture('company-6-applications');
    await press('Revoke the access of Corner Shop');
    await page.getByText('You have given no application access to your account.').waitFor();
    // A revoked token may work for three seconds more (docs/api.md, Authentication).
    await until('the token is refused', async () => (await refused(client.get('/orders'))).startsWith('401') || undefined);
    const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: granted.refresh_token };
    expect((await token(refresh)).error).toBe('invalid_grant');
    expect(complaints).toEqual([]);
  });

  it('every token of theirs has its euro', async () => expectReconciled(dataDir));
});

async function token(form: Record<string, string>): Promise<Record<'access_token' | 'refresh_token' | 'profile' | 'error', string>> {
  const answer = await fetch(`${file.apiUrl}/auth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return (await answer.json()) as Record<'access_token' | 'refresh_token' | 'profile' | 'error', string>;
}
