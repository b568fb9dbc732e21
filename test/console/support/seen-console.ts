import { createAdaptorServer } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import axe, { type AxeResults } from 'axe-core';
import type { TestConsole } from './test-console.ts';

/** Serves a console to a browser. Returns its address, and what ends it. */
export async function serveConsole({ app }: TestConsole): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createAdaptorServer({ fetch: app.fetch });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const close = Promise.withResolvers<void>();
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close(() => close.resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
      await close.promise;
    },
  };
}

/** What an operator sees in a tab of their own, and every complaint of the browser, such as a script that the policy stopped. */
export async function openConsole(browser: Browser, url: string, secret: string): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await context.addCookies([{ name: 'console-3010', value: secret, url }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints };
}

/** What axe finds wrong with the page as it is, in a few words each. */
export async function violationsOf(page: Page): Promise<string[]> {
  // By the debugger: the page's own policy stays as it is.
  const source = `${axe.source}; axe.run({ resultTypes: ['violations'] })`;
  const { violations } = await page.evaluate<AxeResults>(source);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
