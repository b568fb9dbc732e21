import { serve } from '@hono/node-server';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/app.ts';
import { baseUrl } from '../../src/platform/settings.ts';
import { createServedApi, type ServedApi } from '../client/served-api.ts';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';

/** A folder for pictures of the pages, when somebody wants to look at them. */
const pictures = process.env['DOCS_PICTURES'];

const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const phone: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, colorScheme: 'dark' };

let api: ServedApi;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  api = await createServedApi();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await api?.close();
});

/** Opens a page, and collects what it complains of and where else it sends requests. */
async function open(options: BrowserContextOptions, pathname: string, origin = api.url) {
  const context = await browser.newContext(options);
  // For busy machines: quick ones never wait.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  await page.goto(`${origin}${pathname}`);
  return { page, complaints };
}

async function picture(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), `${name} is wider than the screen`).toBe(true);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

describe.runIf(hasChromium)('the documentation in Chromium', () => {
  it('shows the reference with the deployment’s own server, and an operation with its example', async () => {
    const { page, complaints } = await open(desktop, '/docs#tag/orders/POST/orders');
    await page.getByRole('heading', { name: 'Place an order' }).first().waitFor();
    const text = await page.locator('#reference').innerText();
    const shown = [`curl ${baseUrl(api.deps.settings)}/orders`, '"memo": "Invoice 2026-118"', '"placedAt": "2026-11-20T16:03:54.120Z"'];
    expect(shown.filter((part) => !text.includes(part))).toEqual([]);
    await picture(page, 'reference');
    expect(complaints).toEqual([]);
  });

  it('fits a phone in dark mode', async () => {
    const { page, complaints } = await open(phone, '/docs');
    await page.getByRole('heading', { name: 'Mintrail API' }).waitFor();
    await picture(page, 'reference-phone');
    expect(complaints).toEqual([]);
  });

  it('has guides beside the reference', async () => {
    for (const [name, options] of [
      ['guide', desktop],
      ['guide-phone', phone],
    ] as const) {
      const { page, complaints } = await open(options, '/docs/guides/treasury');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await picture(page, name);
      expect(complaints).toEqual([]);
    }
  });

  it('gives the reference of a production API an origin of its own, without cookies', async () => {
    const app = createApp({ ...api.deps, settings: { ...api.deps.settings, environment: 'production' } });
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { page, complaints } = await open(desktop, '/docs', origin);
    await page.getByRole('heading', { name: 'Mintrail API' }).waitFor();
    await picture(page, 'reference-production');
    expect(await page.evaluate('window.origin')).toBe('null');
    expect(complaints).toEqual([]);
    server.close();
  });
});
