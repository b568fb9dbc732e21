import { createAdaptorServer } from '@hono/node-server';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { hexToString } from 'viem';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword, setPassword } from '../../src/ledger/access/passwords.ts';
import { userSubject } from '../../src/ledger/access/subject.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { findUser } from '../../src/ledger/access/users.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { password } from '../api/hosted/browser.ts';
import { createTestApi, createWallet, type TestApi } from '../api/support/test-api.ts';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { patienceMs } from '../support/patience.ts';

let api: TestApi;
let served: Server;
let browser: Browser;
/** The sample, at an origin of its own. */
const sample = createServer();
const assets = new Map<string, { type: string; source: string | Uint8Array }>();

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  api = await createTestApi({ env: { BASE_URL: url } });
  served = createAdaptorServer({ fetch: api.app.fetch }) as Server;
  await listen(served, port);
  sample.on('request', (request, response) => {
    const asset = assets.get(new URL(request.url ?? '/', url).pathname.slice(1) || 'index.html');
    response.writeHead(asset ? 200 : 404, { 'Content-Type': asset?.type ?? 'text/plain' }).end(asset?.source);
  });
  await listen(sample, 0);
  if (hasChromium) [browser] = await Promise.all([launchChromium(), buildSample(url)]);
});
afterAll(async () => {
  await browser?.close();
  for (const server of [sample, served]) {
    server?.closeAllConnections();
    server?.close();
  }
  await api?.close();
});

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Builds the sample for an application that is registered for its origin. */
async function buildSample(apiUrl: string): Promise<void> {
  const owner = await api.partner();
  const origin = originOf(sample);
  const { id } = await createApplication(api.ledger, {
    kind: 'authorization_code',
    name: 'Sample',
    owner: owner.user,
    redirectUris: [`${origin}/`],
    permissions: ['read', 'write'],
    origins: [origin],
  });
  const values = { VITE_API: apiUrl, VITE_CLIENT_ID: id };
  const { output } = (await build({
    root: 'examples/spa',
    logLevel: 'silent',
    define: Object.fromEntries(Object.entries(values).map(([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)])),
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  for (const file of output) {
    const type = file.fileName.endsWith('.html') ? 'text/html' : 'text/javascript';
    assets.set(file.fileName, { type, source: file.type === 'chunk' ? file.code : file.source });
  }
}

/** A customer with an approved profile, who can sign in. */
async function customer(): Promise<string> {
  const { user } = await api.partner();
  await api.ledger.updateTable('users').set({ emailVerifiedAt: new Date() }).where('id', '=', user).execute();
  await inTransaction(api.ledger, async (tx) => setPassword(tx, userSubject(user), await hashPassword(password), 'sign-up'));
  return (await findUser(api.ledger, user))?.email ?? '';
}

/** A wallet in a page, as a browser extension puts it there. */
async function addWallet(page: Page) {
  const wallet = createWallet();
  await page.exposeFunction('signByTestWallet', (message: `0x${string}`) => wallet.signMessage({ message: hexToString(message) }));
  await page.addInitScript(`window.ethereum = { request: async ({ method, params }) =>
    method === 'eth_requestAccounts' ? ['${wallet.address}'] : window.signByTestWallet(params[0]) };`);
  return wallet;
}

describe.runIf(hasChromium)('the single-page sample, in Chromium from another origin', () => {
  it('signs a user in, links their wallet, shows balances, sends a payment, and follows it', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(error.message));
    const wallet = await addWallet(page);
    api.fund(wallet.address, 100n);

    await page.goto(originOf(sample));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${originOf(served)}/authorize/**`);
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Email address').fill(await customer());
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The sample links the wallet itself.
    await page.getByRole('link', { name: 'Not now' }).click();
    const stream = page.waitForResponse('**/orders/stream');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Signed in as Jane Doe').waitFor();
    expect(page.url()).toBe(`${originOf(sample)}/`);

    await page.getByRole('button', { name: 'Link a wallet' }).click();
    await page
      .getByText(`${wallet.address}: 100.00 EUR`)
      .or(page.getByText(`${wallet.address}: 100 EUR`))
      .waitFor();
    await page.getByLabel('Amount in euros').fill('12.50');
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00');
    await page.getByLabel('Name').fill('Max Mustermann');
    await page.getByRole('button', { name: 'Sign and pay' }).click();
    await page.getByText('The payment of 12.50 euros is placed.').waitFor();
    await stream;
    // What a worker does: the event reaches the page by the order stream.
    await dispatchEvents(api.ledger, 100);
    await page.getByText('redeem 12.50 EUR: placed').waitFor();
    expect(complaints).toEqual([]);
  });
});
