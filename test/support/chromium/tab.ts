import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { hexToString } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { patienceMs } from '../patience.ts';

/** A folder for pictures of every page, when somebody wants to look at them. */
const pictures = process.env['HOSTED_PICTURES'];

export const desktop = { viewport: { width: 1280, height: 800 } } satisfies BrowserContextOptions;
export const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } satisfies BrowserContextOptions;

/** A tab of a browser of its own, and what a person does in it. */
export interface Tab {
  page: Page;
  /** Errors of scripts and of the console, except that a form was refused. */
  complaints: string[];
  press: (button: string) => Promise<void>;
  follow: (link: string) => Promise<void>;
  /** Waits for the page that has this heading. */
  heading: (title: string) => Promise<void>;
  /** Takes a picture of the whole page, which must not be wider than the screen. */
  picture: (name: string) => Promise<void>;
}

/** Opens a tab without cookies. */
export async function openTab(browser: Browser, options: BrowserContextOptions): Promise<Tab> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // For slow machines; quick ones never wait.
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && !message.text().includes('400') && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  return {
    page,
    complaints,
    press: (name) => page.getByRole('button', { name, exact: true }).click(),
    follow: (name) => page.getByRole('link', { name, exact: true }).click(),
    heading: (name) => page.getByRole('heading', { name, exact: true }).waitFor(),
    picture: (name) => takePicture(page, name),
  };
}

async function takePicture(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), `${name} is wider than the screen`).toBe(true);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

/** Puts a wallet into the pages of a tab, as a browser extension does (EIP-1193). */
export async function addWallet({ page }: Pick<Tab, 'page'>): Promise<PrivateKeyAccount> {
  const wallet = privateKeyToAccount(generatePrivateKey());
  await page.exposeFunction('signByTestWallet', (message: `0x${string}`) => wallet.signMessage({ message: hexToString(message) }));
  await page.addInitScript(`window.ethereum = { request: async ({ method, params }) =>
    method === 'eth_requestAccounts' ? ['${wallet.address}'] : window.signByTestWallet(params[0]) };`);
  return wallet;
}

/**
 * Gives a tab an authenticator for passkeys, at which somebody is present and verified (CDP, domain WebAuthn). Returns what decides whether
 * they are verified from then on.
 */
export async function addAuthenticator({ page }: Pick<Tab, 'page'>): Promise<(isUserVerified: boolean) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async (isUserVerified) => void (await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }));
}
