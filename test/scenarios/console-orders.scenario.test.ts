import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createConsolePages } from '../console/support/console-pages.ts';
import { lookRight } from '../console/support/look-right.ts';
import { hostile, placeOrdersOfAllKinds } from '../console/support/orders-of-all-kinds.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { hasChromium } from '../support/chromium/chromium.ts';

let payments: PaymentsLedger;
let orders: Awaited<ReturnType<typeof placeOrdersOfAllKinds>>;
let console: Awaited<ReturnType<typeof createConsolePages>>;

describe.runIf(hasChromium)('in Chromium', () => {
  beforeAll(async () => {
    payments = await createPaymentsLedger();
    orders = await placeOrdersOfAllKinds(payments);
    console = await createConsolePages({ env: { FOUR_EYES: 'yes' }, url: payments.url });
  });
  afterAll(async () => {
    await console?.close();
    await payments?.close();
  });

  it('the orders are accessible, no wider than the screen, and run no script', async () => {
    const { stuck, paid, replaced, credit } = orders;
    const lists = ['/orders', '/orders?q=Anna&state=open', '/orders?q=nothing'];
    await lookRight(console, 'treasurer', [...lists, ...[stuck, paid.order, replaced.order, credit.order].map((id) => `/orders/${id}`)]);
  });

  it('an order is searched by what somebody reads out, and opened by the keyboard', async () => {
    const { page, context } = await console.openAs('viewer', '/orders');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('777,00 EUR');
    await page.keyboard.press('Enter');
    await page.getByText('Taken for an amount').waitFor();
    const row = page.getByRole('row', { name: '777.00' });
    await row.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Redemption of 777.00 EUR' }).waitFor();
    expect(await page.getByText(hostile, { exact: true }).count()).toBeGreaterThan(1);
    expect(await page.getByRole('button', { name: 'Give back' }).count()).toBe(0);
    await context.close();
  });

  it('tokens are given back by two people, and the page shows it by itself', async () => {
    const { page, context } = await console.openAs('treasurer', `/orders/${orders.stuck}`);
    await page.getByRole('button', { name: 'Give back' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The block was lifted');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText(`Give 777.00 EUR in tokens back to ${payments.customer.address} on chiado`).waitFor();
    await dialog.getByRole('button', { name: 'Ask for approval' }).click();
    await dialog.getByText('It waits for a second person.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const second = await console.openAs('administrator', '/approvals');
    await second.page.getByRole('row', { name: '777.00 EUR' }).click();
    await second.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Only an operator can end this order.').waitFor({ state: 'hidden' });
    await page.getByText('The issue waits for').waitFor();
    await second.context.close();
    await context.close();
  });

  it('very many orders are read part by part as they are scrolled', async () => {
    await sql`alter table orders disable trigger user`.execute(payments.ledger);
    await sql`insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, state, placed_at, processed_at)
      select gen_random_uuid(), 'issue', profile, address, 'chiado', 'eur', 100 + n, counterpart, 'Many', 'processed', now() - n * interval '1 hour', now()
      from orders, generate_series(1, 2000) n where id = ${orders.credit.order}`.execute(payments.ledger);
    const { page, context } = await console.openAs('viewer', '/orders');
    await page.getByRole('row', { name: 'Anna' }).first().focus();
    const latest = await page.getByRole('row', { name: 'memo' }).count();
    for (const last of [200, 400, 600, 800, 1_000, 1_200]) {
      await expect
        .poll(async () => {
          await page.keyboard.press('End');
          return Number(await page.getByRole('row').last().getAttribute('aria-rowindex'));
        })
        .toBeGreaterThan(last);
    }
    expect(await page.getByRole('row').count()).toBeLessThan(100);

    // What happens meanwhile is read at the beginning of the list, and not in all of its parts: those behind the first are asked for with `after`.
    const parts: string[] = [];
    page.on('request', (request) => void (/\/api\/orders\?(?!.*after=)/.test(request.url()) && parts.push(request.url())));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(`new Promise((opened) => {
      const source = new EventSource('/api/live');
      source.addEventListener('open', opened);
      window.changed = new Promise((resolve) => {
        source.addEventListener('changed', ({ data }) => data.includes('orders') && resolve(source.close()));
      });
    })`);
    await payments.credited();
    await page.evaluate('window.changed');
    expect(parts).toEqual([]);
    await showsFromTheTop(page, latest + 1);
    // Once for each change that came meanwhile: the credit, and what becomes of it.
    expect([1, 2]).toContain(parts.length);
    await context.close();
  });

  it('what has changed is read to its end before more is loaded', async () => {
    const { page, context } = await console.openAs('viewer', '/orders');
    await page.getByText('Live', { exact: true }).waitFor();
    const row = page.getByRole('row', { name: 'memo' });
    await page.locator('[data-index="0"]').focus();
    const before = await row.count();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/api\/orders\?(?!.*after=)/, async (route) => {
      await released;
      await route.continue();
    });
    const readAgain = page.waitForRequest(/\/api\/orders\?(?!.*after=)/);
    await payments.credited();
    await readAgain;
    await page.keyboard.press('End');
    await page.locator('[data-index="199"]').waitFor();
    release();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return Number(await page.locator('[data-index]').last().getAttribute('data-index'));
      })
      .toBeGreaterThan(199);
    await showsFromTheTop(page, before + 1);
    await context.close();
  });
});

/** Goes to the first row until so many orders with a memo are seen. A key that comes before the last row has the focus, after End, reaches no row. */
async function showsFromTheTop(page: Page, count: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press('Home');
      return page.getByRole('row', { name: 'memo' }).count();
    })
    .toBe(count);
}
