import { createAdaptorServer } from '@hono/node-server';
import { execFileSync } from 'node:child_process';
import type { Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { OperatorRole } from '../../../src/schema/states.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { launchChromium } from '../../support/chromium/chromium.ts';
import { createTestConsole } from './test-console.ts';
import { patienceMs } from '../../support/patience.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** A page that somebody who is signed in has open. */
export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  name: string;
  /** Errors of scripts and of the browser, such as what the content security policy has stopped. */
  complaints: string[];
}

/** How a page is looked at. */
export interface Look {
  colorScheme?: 'light' | 'dark';
  /** CSS pixels. */
  width?: number;
}

/** The console with its pages in Chromium, over a database of its own. The pages are built when they are missing or have changed. */
export async function createConsolePages(options: Parameters<typeof createTestConsole>[0] = {}) {
  execFileSync(process.execPath, ['scripts/build-console.mjs', '--if-stale'], { cwd: project, stdio: 'pipe' });
  // Known before: passkeys belong to the address of the console.
  const port = await freePort();
  const env = { ...options.env, CONSOLE_PORT: String(port) };
  const console = await createTestConsole({ ...options, env, bundle: path.join(project, 'dist/console') });
  const server = createAdaptorServer({ fetch: console.app.fetch }) as Server;
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const url = `http://localhost:${port}`;
  const browser: Browser = await launchChromium();

  const open = async (address: string, { colorScheme = 'light', width = 1280 }: Look = {}, secret?: string): Promise<ConsolePage> => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' });
    if (secret !== undefined) await context.addCookies([{ name: `console-${port}`, value: secret, url }]);
    // For busy machines: quick ones never wait.
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('dialog', (dialog) => {
      complaints.push(`a script ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => void complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && void complaints.push(message.text()));
    await page.goto(url + address);
    return { page, context, name: '', complaints };
  };
  return {
    ...console,
    url,
    open,
    /** Opens a page as a new operator of a role. */
    async openAs(role: OperatorRole, address: string, look?: Look): Promise<ConsolePage & { secret: string }> {
      const { name, secret } = await console.signedIn(role);
      return { ...(await open(address, look, secret)), name, secret };
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
      await console.close();
    },
  };
}
