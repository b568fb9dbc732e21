// `npm run screenshots`: writes docs/console/NAME-light.png and -dark.png of every page of the console, and -narrow.png of the main ones, from the sandbox
// that runs in the data directory; `npm run demo` fills it before. With `FOUR_EYES=yes` a request is made for a picture of what waits for a second person.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { project } from './dependencies.mjs';

const viewport = { width: 1280, height: 1000 };
const narrowViewport = { width: 360, height: 780 };
const dataDir = process.env.MINTRAIL_DATA_DIR ?? path.join(project, '.mintrail');
const folder = path.join(project, 'docs/console');
const sandbox = JSON.parse(readFileSync(path.join(dataDir, 'sandbox.json'), 'utf8'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
mkdirSync(folder, { recursive: true });
try {
  const session = await signIn();
  await requestApproval(session);
  const pages = await addressesOf(session);
  for (const colorScheme of ['light', 'dark'])
    for (const { name, address } of pages) await picture(session, address, `${name}-${colorScheme}`, { colorScheme, viewport });
  for (const { name, address, isMain } of pages)
    if (isMain) await picture(session, address, `${name}-narrow`, { colorScheme: 'light', viewport: narrowViewport });
} finally {
  await browser.close();
}

async function signIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(sandbox.console.link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const session = await context.storageState();
  await context.close();
  return session;
}

/** Something that a second person decides, unless there is some already. */
async function requestApproval(session) {
  const { approvals } = await read(session, '/api/approvals?state=open');
  if (approvals.length > 0) return;
  const context = await browser.newContext({ storageState: session });
  await context.request.post(`${sandbox.console.url}/api/actions/operators.add`, {
    headers: { Origin: sandbox.console.url, 'Sec-Fetch-Site': 'same-origin' },
    data: { name: 'mara.lind', role: 'treasurer' },
  });
  await context.close();
}

/** Every page, and the page of one order, customer and file that shows much. */
async function addressesOf(session) {
  const { orders } = await read(session, '/api/orders?kind=redeem&state=processed&limit=50');
  const order = orders.find(({ counterpartIban }) => counterpartIban !== null) ?? orders[0];
  const { rows: profiles } = await read(session, '/api/customers?state=approved');
  // The profile that the sandbox begins with has submitted nothing.
  const customer = profiles.at(-1);
  return [
    { name: 'overview', address: '/', isMain: true },
    { name: 'orders', address: '/orders', isMain: true },
    ...(order ? [{ name: 'order', address: `/orders/${order.id}`, isMain: true }] : []),
    { name: 'customers', address: '/customers?state=approved' },
    ...(customer ? [{ name: 'customer', address: `/customers/${customer.id}`, isMain: true }] : []),
    { name: 'bank', address: '/bank', isMain: true },
    { name: 'bank-files', address: '/bank/files' },
    { name: 'bank-payments', address: '/bank/payments' },
    { name: 'bank-closing', address: '/bank/closing' },
    { name: 'networks', address: '/networks', isMain: true },
    ...['webhooks', 'approvals', 'applications', 'operators', 'audit', 'settings', 'account'].map((name) => ({
      name,
      address: `/${name}`,
    })),
  ];
}

async function read(storageState, address) {
  const context = await browser.newContext({ storageState });
  const response = await context.request.get(sandbox.console.url + address, { headers: { 'Sec-Fetch-Site': 'same-origin' } });
  if (!response.ok()) throw new Error(`${address} answers ${response.status()}: ${await response.text()}`);
  const body = await response.json();
  await context.close();
  return body;
}

async function picture(storageState, address, file, look) {
  const context = await browser.newContext({ storageState, timezoneId: 'Atlantic/Reykjavik', locale: 'en-GB', ...look });
  const page = await context.newPage();
  await page.goto(sandbox.console.url + address);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
  while ((await page.getByText('Loading…').count()) > 0) await page.waitForTimeout(100);
  // Colours of few hues: a palette halves the file and is not seen.
  const png = await sharp(await page.screenshot())
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toBuffer();
  writeFileSync(path.join(folder, `${file}.png`), png);
  console.log(`docs/console/${file}.png`);
  await context.close();
}
