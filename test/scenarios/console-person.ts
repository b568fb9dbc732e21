import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import { patienceMs } from '../support/patience.ts';

const password = 'correct horse battery staple 7';

/** What the console is asked for in a dialog of an action. */
export interface Asked {
  /** The button that opens the dialog. */
  button: Locator;
  /** Fills in the dialog's fields. */
  fill?: (dialog: Locator) => Promise<unknown>;
  reason?: string;
}

/** Somebody who uses the console in a browser of their own. */
export interface Person {
  name: string;
  page: Page;
  context: BrowserContext;
  /** What the browser complains about: errors of scripts, and what the content security policy has stopped. */
  complaints: string[];
  /** Actions that the console has carried out for this person at once. */
  done: Set<string>;
  /** Opens a page, and waits until it shows its data and is live. */
  open(address: string): Promise<void>;
  button(name: string, within?: Locator | Page): Locator;
  row(text: string | RegExp): Locator;
  /** Asks for an action. Returns the server's sentence of it, and the text of what came of it. */
  ask(asked: Asked): Promise<{ sentence: string; outcome: string }>;
  /** Approves what waits under this sentence. Returns the text of what came of it. */
  approve(sentence: string): Promise<string>;
  /** Sends a request as the page does. */
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }>;
}

/** Follows the link of an invitation: sets a password with an authenticator app, and keeps the recovery codes. Returns the person and their codes. */
export async function acceptInvitation(browser: Browser, link: string): Promise<{ person: Person; codes: string[] }> {
  const { origin } = new URL(link);
  // What a scroll bar leaves of 1,280 px.
  const context = await browser.newContext({ viewport: { width: 1265, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const person = createPerson(page, context, origin);
  await page.goto(link);
  const welcome = await page.getByRole('heading', { name: /^Welcome, / }).textContent();
  person.name = welcome?.replace('Welcome, ', '') ?? '';
  const seed = /^[A-Z2-7]{16,}$/;
  const text = (await page.locator('main').getByText(seed).first().textContent()) ?? '';
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Code that the app shows').fill(codeOf(text));
  await page.getByRole('button', { name: 'Set the password' }).click();
  const codes = ((await page.locator('pre').textContent()) ?? '').split('\n');
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  return { person, codes };
}

/** Signs in by password and a code, such as one of the recovery codes, where the page asks for it. */
export async function signIn({ page, name }: Person, code: string, waitMs = patienceMs): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Code of your authenticator app').fill(code);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Live', { exact: true }).waitFor({ timeout: waitMs });
}

function codeOf(seed: string): string {
  return new TOTP({ secret: Secret.fromBase32(seed) }).generate();
}

function createPerson(page: Page, context: BrowserContext, origin: string): Person {
  const complaints: string[] = [];
  const done = new Set<string>();
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && void complaints.push(`${message.text()} (${message.location().url})`));
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('response', (response) => {
    const [, action] = /\/api\/actions\/([\w.-]+)$/.exec(new URL(response.url()).pathname) ?? [];
    if (action !== undefined && response.status() === 200) done.add(action);
  });
  const dialog = page.getByRole('dialog');
  const close = async () => {
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
  };
  const open = async (address: string) => {
    await page.goto(origin + address);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  };
  return {
    name: '',
    page,
    context,
    complaints,
    done,
    open,
    button: (name, within = page) => within.getByRole('button', { name, exact: true }),
    row: (text) => page.getByRole('row').filter({ hasText: text }).first(),
    async ask({ button, fill, reason }) {
      await button.click();
      await fill?.(dialog);
      if (reason !== undefined) await dialog.getByLabel('Reason', { exact: true }).fill(reason);
      const answered = page.waitForResponse(/\/preview$/);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      const { description: sentence, code } = (await (await answered).json()) as { description: string; code?: string };
      if (sentence === undefined) throw new Error(`the console turned it down: ${code} ${await dialog.textContent()}`);
      await dialog.getByRole('button', { name: 'Back' }).locator('xpath=following-sibling::button').click();
      const banner = dialog.getByRole('status').filter({ hasText: /: done\.|It waits for a second person\./ });
      await banner.waitFor();
      const outcome = (await dialog.textContent()) ?? '';
      await close();
      return { sentence, outcome };
    },
    async approve(sentence) {
      await open('/approvals');
      await page.getByRole('row').filter({ hasText: sentence }).first().click();
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await dialog.getByText('It is approved and done.').waitFor();
      const outcome = (await dialog.textContent()) ?? '';
      await close();
      return outcome;
    },
    async send(method, path, body) {
      const answer = await context.request.fetch(origin + path, {
        method,
        headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
        ...(method === 'POST' && { data: JSON.stringify(body ?? {}) }),
      });
      const text = await answer.text();
      return { status: answer.status(), json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} };
    },
  };
}
