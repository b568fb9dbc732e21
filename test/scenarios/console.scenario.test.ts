import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestApproval } from '../../src/ledger/operators/approvals.ts';
import { endSession } from '../../src/ledger/access/sessions.ts';
import { createConsolePages } from '../console/support/console-pages.ts';
import { violationsOf } from '../support/chromium/violations.ts';
import { hasChromium } from '../support/chromium/chromium.ts';

const addresses = ['/', '/approvals', '/applications', '/operators', '/audit', '/settings', '/account'];
const hostile = `<img src=x onerror="document.title='stolen'"><script>document.title='stolen'</script>`;
/** What a scroll bar leaves of 1,280 px. */
const width = 1265;
const looks = [
  { colorScheme: 'light', width },
  { colorScheme: 'dark', width: 360 },
] as const;
/** Of JavaScript and CSS, compressed. */
const mostBytesOfFirstPage = 300_000;

let console: Awaited<ReturnType<typeof createConsolePages>>;

describe.runIf(hasChromium)('in Chromium', () => {
  beforeAll(async () => {
    console = await createConsolePages({ env: { FOUR_EYES: 'yes' } });
    const { name } = await console.signedIn('treasurer');
    await requestApproval(console.ledger, name, {
      action: 'orders.give-back',
      input: JSON.stringify({ order: hostile }),
      description: hostile,
    });
  });
  afterAll(() => console?.close());

  it.each(looks)('every page is accessible and no wider than the screen, $colorScheme at $width px', async (look) => {
    const { page, complaints, context } = await console.openAs('administrator', '/', look);
    for (const address of addresses) {
      await page.goto(console.url + address);
      await page.getByText('Live', { exact: true }).waitFor();
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      expect(await violationsOf(page), address).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBeLessThanOrEqual(look.width);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('the sign-in is accessible, and leads back to the page that was asked for', async () => {
    const { page, context } = await console.open('/audit?action=approval');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('return')).toBe('/audit?action=approval');
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });

  it('a hostile text runs no script', async () => {
    const { page, complaints, context } = await console.openAs('administrator', '/approvals');
    await page.getByRole('row', { name: 'stolen' }).click();
    await page.getByRole('dialog').getByText(hostile, { exact: true }).waitFor();
    expect(await page.title()).toBe('Approvals · Mintrail');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('a second person refuses what somebody asked for, and a viewer decides on nothing', async () => {
    const viewer = await console.openAs('viewer', '/approvals');
    await viewer.page.getByRole('row', { name: 'stolen' }).click();
    await viewer.page.getByRole('dialog').waitFor();
    expect(await viewer.page.getByRole('button', { name: /Approve|Refuse|Withdraw/ }).count()).toBe(0);
    await viewer.page.goto(`${console.url}/operators`);
    await viewer.page.getByRole('heading', { name: 'You may not see this page' }).waitFor();
    await viewer.context.close();

    const { page, context } = await console.openAs('treasurer', '/approvals');
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Approvals 1 waiting for you' }).waitFor();
    await page.getByRole('row', { name: 'stolen' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Orders: give back' }).waitFor();
    await page.getByLabel('Note').fill('It makes no sense');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('dialog').getByText('It is refused.').waitFor();
    await page.getByRole('dialog').getByText('refused', { exact: true }).waitFor();
    // Behind an open dialog nothing else can be reached.
    await page.keyboard.press('Escape');
    await pages.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
    await context.close();
  });

  it('a session that ends leads to the sign-in and back', async () => {
    const { page, secret, context } = await console.openAs('viewer', '/approvals');
    await page.getByText('Live', { exact: true }).waitFor();
    await endSession(console.ledger, secret);
    await page.getByText('Your session has ended.').waitFor();
    expect(new URL(page.url()).searchParams.get('return')).toBe('/approvals');
    await context.close();
  });

  it('the keyboard goes everywhere', async () => {
    const { page, context } = await console.openAs('administrator', '/');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('search');
    await context.close();
  });

  it('the first page is small', async () => {
    const { page, context } = await console.openAs('administrator', '/about:blank');
    const bodies: Promise<Buffer>[] = [];
    page.on('response', (response) => /\/assets\//.test(response.url()) && void bodies.push(response.body()));
    await page.goto(console.url);
    await page.getByText('Live', { exact: true }).waitFor();
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostBytesOfFirstPage);
    await context.close();
  });
});
