import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { OperatorRole } from '../../../src/schema/states.ts';
import { violationsOf } from '../../support/chromium/violations.ts';
import type { createConsolePages } from './console-pages.ts';

const looks = [
  // What a scroll bar leaves of 1,280 px.
  { colorScheme: 'light', width: 1265 },
  { colorScheme: 'dark', width: 360 },
] as const;

/** A page is accessible and no wider than the screen, on a desktop and on a phone in the dark theme. Ends as on a desktop. */
export async function looksRight(page: Page, name: string): Promise<void> {
  for (const { colorScheme, width } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: name }).toBeLessThanOrEqual(width);
    expect(await violationsOf(page, 'best-practice'), `${name}, ${colorScheme} at ${width} px`).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Every page looks right, and runs no script of a hostile text. */
export async function lookRight(
  console: Awaited<ReturnType<typeof createConsolePages>>,
  role: OperatorRole,
  addresses: readonly string[],
): Promise<void> {
  const { page, complaints, context } = await console.openAs(role, '/');
  for (const address of addresses) {
    await page.goto(console.url + address);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    await looksRight(page, address);
    expect(await page.title(), address).not.toBe('stolen');
  }
  expect(complaints).toEqual([]);
  await context.close();
}
