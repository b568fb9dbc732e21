import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { desktop, openTab, phone, type Tab } from '../support/chromium/tab.ts';
import { violationsOf } from '../support/chromium/violations.ts';
import { sharedSandbox } from './shared-sandbox.ts';

/** Bytes that the first view of a page may bring, compressed. */
const largestFirstView = 100_000;

let apiUrl: string;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  const [{ file }, started] = await Promise.all([sharedSandbox(), launchChromium()]);
  [apiUrl, browser] = [file.apiUrl, started];
});
afterAll(async () => browser?.close());

/** Opens a page of the documentation, and collects which other hosts it asks. */
async function open(pathname: string, options: BrowserContextOptions = desktop): Promise<Tab & { others: string[] }> {
  const tab = await openTab(browser, options);
  const others: string[] = [];
  tab.page.on('request', (request) => void (request.url().startsWith(`${apiUrl}/`) || others.push(request.url())));
  await tab.page.goto(`${apiUrl}${pathname}`);
  return { ...tab, others };
}

/** The part of the reference about one operation, by its id: a search by roles takes seconds in a page of this length. */
const operation = ({ page }: Tab, id: string) => page.locator(`[aria-labelledby=${id}]`);

/** Opens parts of one operation, and takes away the others: they are made alike, and axe would take a minute for all. */
async function showOnly(tab: Tab, id: string, parts: string[]): Promise<void> {
  for (const part of parts) await operation(tab, id).getByText(part, { exact: true }).first().click();
  const others = `document.querySelectorAll('.operation:not([aria-labelledby=${id}])')`;
  await tab.page.evaluate(`${others}.forEach((one) => one.remove())`);
  expect(await tab.page.locator('.operation').count()).toBe(1);
}

describe.runIf(hasChromium)('the documentation in Chromium', () => {
  it.each([
    ['reference', '/docs', 'light', desktop],
    ['reference-phone', '/docs', 'dark', phone],
    ['guide', '/docs/guides/treasury', 'dark', desktop],
    ['guide-phone', '/docs/guides/treasury', 'light', phone],
  ] as const)('has no flaw that axe finds, and is small: %s', async (name, pathname, colorScheme, options) => {
    const tab = await open(pathname, { ...options, colorScheme });
    const received = `performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)`;
    expect(await tab.page.evaluate<number>(received)).toBeLessThan(largestFirstView);
    if (pathname === '/docs') await showOnly(tab, 'placeOrder', ['What is in counterpart', 'Try it', '200 The order is placed.']);
    await tab.page.locator('#search').fill('order');
    await tab.page.locator('#hits').getByText('Place an order').waitFor();
    await tab.picture(name);
    expect(await violationsOf(tab.page, 'best-practice')).toEqual([]);
    expect([...tab.complaints, ...tab.others]).toEqual([]);
    await tab.page.context().close();
  });

  it('finds operations and sections of guides, and opens the first by Enter', async () => {
    const { page, complaints } = await open('/docs/guides/errors');
    const search = async (words: string) => {
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    };
    await search('place an order');
    await page.waitForURL(`${apiUrl}/docs#placeOrder`);
    await search('prove address yours');
    await page.waitForURL(`${apiUrl}/docs/guides/treasury#prove-that-the-address-is-yours`);
    expect(complaints).toEqual([]);
  });

  it('shows a call by our own client and by curl, at the address of the deployment', async () => {
    const placing = operation(await open('/docs'), 'placeOrder');
    await placing.getByText('curl', { exact: true }).click();
    const titles = await placing.locator('.sample > summary').allInnerTexts();
    expect(titles).toEqual(['mintrail-client', 'curl']);
    const shown = await placing.locator('.sample').allTextContents();
    expect(shown[0]).toContain("mintrail.post('/orders', {");
    expect(shown[1]).toContain(`curl ${apiUrl}/orders`);
  });

  it('tries an operation with a token of the sandbox, for one click', async () => {
    const tab = await open('/docs#readUserContext');
    const trying = operation(tab, 'readUserContext');
    await trying.getByText('Try it').click();
    await trying.getByRole('button', { name: 'Send' }).click();
    await trying.getByText('401 Unauthorized').waitFor();
    await trying.getByRole('button', { name: 'Get a sandbox token' }).click();
    await trying.getByText('A token of the sandbox’s private application').waitFor();
    await trying.getByRole('button', { name: 'Send' }).click();
    await trying.getByText('200 OK').waitFor();
    expect(await trying.locator('form pre').innerText()).toContain('"defaultProfile"');
  });

  it('tries a request for a token with credentials of the sandbox', async () => {
    const trying = operation(await open('/docs#createToken'), 'createToken');
    await trying.getByText('Try it').click();
    await trying.getByRole('button', { name: 'Use sandbox credentials' }).click();
    await trying.getByText('The credentials of the sandbox’s private application').waitFor();
    await trying.getByRole('button', { name: 'Send' }).click();
    await trying.getByText('200 OK').waitFor();
  });
});
