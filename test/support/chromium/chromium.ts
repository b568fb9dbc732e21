import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, or another one. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether there is a Chromium: without it the pages cannot be used as people use them. */
export const hasChromium = existsSync(executablePath);

/** Starts Chromium without a window, and without calls of its own to anywhere. */
export async function launchChromium(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
}
