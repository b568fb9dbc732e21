import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestApproval } from '../../src/ledger/operators/approvals.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { accounts, bankAccount } from '../../src/ledger/book/accounts.ts';
import { recordEntries } from '../../src/ledger/book/entries.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { createConsolePages } from '../console/support/console-pages.ts';
import { lookRight } from '../console/support/look-right.ts';
import { hostile } from '../console/support/orders-of-all-kinds.ts';
import { violationsOf } from '../support/chromium/violations.ts';
import { hasChromium } from '../support/chromium/chromium.ts';

const search = encodeURIComponent(hostile);
// Those of orders, of the bank and customers, and of networks and webhooks are in files of their own.
const addresses = [
  '/',
  '/approvals',
  '/applications',
  '/operators',
  '/audit',
  '/settings',
  '/account',
  `/orders?q=${search}`,
  `/customers?q=${search}`,
];
/** Of JavaScript and CSS, compressed. */
const mostBytesOfFirstPage = 300_000;

/** Keeps what stands on each canvas: the text, and whether it is within. */
const keepLabels = `window.labels = new Map();
const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  window.labels.delete(this.canvas);
  return clearRect.apply(this, area);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const { actualBoundingBoxRight, actualBoundingBoxLeft } = this.measureText(text);
  const { e } = this.getTransform();
  const isWithin = e + x - actualBoundingBoxLeft >= 0 && e + x + actualBoundingBoxRight <= this.canvas.width;
  window.labels.set(this.canvas, [...(window.labels.get(this.canvas) ?? []), { text, isWithin }]);
  return fillText.call(this, text, x, y);
};`;
/** The labels of each canvas that is on the page. */
const labelsOfCanvases = '[...document.querySelectorAll("canvas")].map((canvas) => window.labels.get(canvas) ?? [])';

interface Label {
  text: string;
  isWithin: boolean;
}

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
    const owner = await createUser(console.ledger, { email: `${randomUUID()}@example.com`, name: hostile });
    const { id: application } = await createApplication(console.ledger, { kind: 'whitelabel', name: hostile, owner });
    await createProfile(console.ledger, { kind: 'corporate', name: hostile, state: 'pending', application });
    const entry = { kind: 'credit', source: 'c1', debit: bankAccount('main'), credit: accounts.issue } as const;
    await inTransaction(console.ledger, (tx) => recordEntries(tx, [{ ...entry, currency: 'eur', amount: minorUnits(100n) }]));
  });
  afterAll(() => console?.close());

  it('every page is accessible, no wider than the screen, and runs no script', () => lookRight(console, 'administrator', addresses));

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

  it('the charts of the first minutes name each minute once, and no time is cut', async () => {
    await sql`insert into reserve_samples select 'minute', date_trunc('minute', now()) - make_interval(mins => n), 'eur', 100, 100, '{"gnosis": "0"}'
      from generate_series(0, 3) n`.execute(console.ledger);
    const { page, context } = await console.openAs('viewer', '/about:blank');
    await page.addInitScript(keepLabels);
    await page.goto(console.url);
    await page.getByRole('figure', { name: /^Money under way/ }).waitFor();
    const charts = () => page.evaluate<Label[][]>(labelsOfCanvases);
    await expect.poll(charts).toEqual([expect.arrayContaining([expect.anything()]), expect.arrayContaining([expect.anything()])]);
    for (const labels of await charts()) {
      expect(labels.filter(({ isWithin }) => !isWithin)).toEqual([]);
      const times = labels.map(({ text }) => text).filter((text) => text.includes(':'));
      expect(times).toHaveLength(4);
      expect(new Set(times).size).toBe(4);
    }
    await context.close();
  });
});
