// `npm run screenshots`: writes docs/console/PAGE-light.png and -dark.png of every page of the console, and one of a telephone, from the sandbox that
// runs in the data directory; `npm run demo` fills it before.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { project } from './dependencies.mjs';

const pages = [
  'overview',
  'orders',
  'customers',
  'bank',
  'networks',
  'webhooks',
  'approvals',
  'applications',
  'operators',
  'audit',
  'settings',
];
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
  for (const colorScheme of ['light', 'dark'])
    for (const name of pages) await picture(session, name, `${name}-${colorScheme}`, { colorScheme });
  await picture(session, 'overview', 'overview-narrow', { colorScheme: 'light', width: 360 });
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

async function picture(storageState, name, file, { colorScheme, width = 1280 }) {
  const context = await browser.newContext({
    storageState,
    colorScheme,
    viewport: { width, height: 1100 },
    timezoneId: 'Atlantic/Reykjavik',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await page.goto(`${sandbox.console.url}/${name === 'overview' ? '' : name}`);
  await page.getByText('Live', { exact: true }).waitFor();
  while ((await page.getByText('Loading…').count()) > 0) await page.waitForTimeout(100);
  // Colours of few hues: a palette halves the file and is not seen.
  const png = await sharp(await page.screenshot())
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toBuffer();
  writeFileSync(path.join(folder, `${file}.png`), png);
  console.log(`docs/console/${file}.png`);
  await context.close();
}
