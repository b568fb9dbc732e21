import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's, that without windows first: it takes a third less processor time. */
const ofDebian = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** `CHROMIUM` names another one. */
const executablePath = [process.env['CHROMIUM'] ?? ofDebian].flat().find((file) => existsSync(file));

/** Whether there is a Chromium: without it the pages cannot be used as people use them. */
export const hasChromium = executablePath !== undefined;

/** Starts Chromium without a window, and without calls of its own to anywhere. */
export async function launchChromium(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  if (executablePath === undefined) throw new Error('There is no Chromium');
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
}
