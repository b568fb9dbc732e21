import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inviteOperator } from '../../src/ledger/operators/invitations.ts';
import { addOperator } from '../../src/ledger/operators/operators.ts';
import { createConsolePages } from '../console/support/console-pages.ts';
import { looksRight } from '../console/support/look-right.ts';
import { hasChromium } from '../support/chromium/chromium.ts';
import { addAuthenticator } from '../support/chromium/tab.ts';
import { earlyInTotpStep } from '../support/totp-step.ts';

let console: Awaited<ReturnType<typeof createConsolePages>>;

const lastUse = async (name: string, age?: string) => {
  if (age !== undefined)
    await console.pool.query('update sessions set last_used_at = now() - $2::interval where operator = $1', [name, age]);
  const { rows } = await console.pool.query(
    'select extract(epoch from now() - last_used_at)::int as age from sessions where operator = $1',
    [name],
  );
  return rows[0].age as number;
};

const password = 'correct staple of seven horses';
const changedPassword = 'nine quiet lamps by the sea';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const isSignedIn = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
const signOut = async (page: Page, name: string) => {
  await press(page, `Account of ${name}`);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
};

describe.runIf(hasChromium)('in Chromium', () => {
  beforeAll(async () => {
    console = await createConsolePages({ env: { FOUR_EYES: 'yes' } });
  });
  afterAll(() => console?.close());

  it('a page that reads by itself does not keep the session open, and ends with it; a person keeps it', async () => {
    const { page, context, name } = await console.openAs('administrator', '/operators');
    await page.getByText('Live', { exact: true }).waitFor();
    await lastUse(name, '20 minutes');
    // The live stream makes the page read the operators again.
    const { name: other } = await console.signedIn('viewer', 'newcomer');
    await page.getByRole('row', { name: other }).waitFor();
    expect(await lastUse(name)).toBeGreaterThanOrEqual(1_200);
    await page.keyboard.press('Shift');
    await expect.poll(() => lastUse(name)).toBeLessThan(60);

    await lastUse(name, '31 minutes');
    await page.getByText('Your session has ended.').waitFor();
    expect(new URL(page.url()).searchParams.get('return')).toBe('/operators');
    expect(await page.getByText(other).count()).toBe(0);
    await looksRight(page, 'the end of a session');
    await context.close();
  });

  it('a person is warned before the session ends, and it ends with all that is shown when the console does not answer', async () => {
    const { page, context, name } = await console.openAs('administrator', '/approvals');
    await page.clock.install();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    // The page asks the console again and learns that the session is a new one: with a clock that stands, the warning stays until it is answered.
    await page.clock.pauseAt(Date.now() + (29 * 60 + 20) * 1_000);
    await page.getByText('You will be signed out, because nobody uses this page.').waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.clock.resume();
    await page.getByText('You will be signed out, because nobody uses this page.').waitFor({ state: 'detached' });
    await page.route('**/*', (route) => route.abort());
    await page.clock.fastForward('31:00');
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByText(name).count()).toBe(0);
    await context.close();
  });

  it('an invitation of two halves is accepted by password and app; the person signs in by each code and changes what they sign in with', async () => {
    const anna = await console.openAs('administrator', '/operators');
    const ben = await console.signedIn('administrator');
    await press(anna.page, 'Add an operator');
    await anna.page.getByLabel('Name').fill('dora');
    await press(anna.page, 'Continue');
    await press(anna.page, 'Ask for approval');
    await anna.page.getByText('It waits for a second person.').waitFor();
    await anna.page.keyboard.press('Escape');
    const { approvals } = (await ben.get('/api/approvals')).json;
    const answer = await ben.post(`/api/approvals/${approvals[0].id}/approve`, { digest: approvals[0].digest });
    await press(anna.page, 'Code of the invitation');
    await press(anna.page, 'Make the code');
    const code = (await anna.page.getByRole('dialog').locator('code').textContent()) ?? '';
    await looksRight(anna.page, 'the code');
    await anna.context.close();

    const { page, context } = await console.open(new URL(answer.json.result.invitation).href.slice(console.url.length));
    await page.getByRole('heading', { name: 'Your invitation has two halves' }).waitFor();
    await looksRight(page, 'the half of an invitation');
    await page.getByLabel('Code of the invitation').fill('aaaaaa-aaaaaa-aaaaaa');
    await press(page, 'Continue');
    await page.getByText('is not right').waitFor();
    await page.getByLabel('Code of the invitation').fill(code);
    await press(page, 'Continue');
    await page.getByRole('heading', { name: 'Welcome, dora' }).waitFor();
    await looksRight(page, 'the invitation');
    const seed = (await page.locator('code').textContent()) ?? '';
    const appCode = (steps: number) => new TOTP({ secret: Secret.fromBase32(seed) }).generate({ timestamp: Date.now() + steps * 30_000 });
    await page.getByLabel('Password').fill(password);
    await earlyInTotpStep();
    await page.getByLabel('Code that the app shows').fill(appCode(-1));
    await press(page, 'Set the password');
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
    await looksRight(page, 'recovery codes');
    const [recovery = '', second = ''] = ((await page.locator('pre').textContent()) ?? '').split('\n');
    await press(page, 'I have kept them');
    await isSignedIn(page);

    await press(page, 'Account of dora');
    await page.getByRole('menuitem', { name: 'Your account' }).click();
    await page.getByLabel('Your password').fill(password);
    await page.getByLabel('Code of your app, or a recovery code').fill(recovery);
    await looksRight(page, 'the account before a proof');
    await press(page, 'Prove it');
    await page.getByLabel('New password').fill(changedPassword);
    await press(page, 'Set the password');
    await page.getByText('The password is changed.').waitFor();
    await press(page, 'Replace the app');
    await page.getByLabel('Code that the new app shows').waitFor();
    await looksRight(page, 'the account');

    for (const secondFactor of [appCode(0), second]) {
      await signOut(page, 'dora');
      await page.getByLabel('Name').fill('dora');
      await page.getByLabel('Password').fill(changedPassword);
      await page.getByLabel('Code of your authenticator app').fill(secondFactor);
      await press(page, 'Sign in');
      await isSignedIn(page);
    }
    await context.close();
  });

  it('an invitation is accepted by a passkey, which signs in and proves who it is', async () => {
    await addOperator(console.ledger, { name: 'emil', role: 'viewer' });
    const secret = await inviteOperator(console.ledger, 'emil');
    const { page, context } = await console.open('/sign-in');
    const verified = await addAuthenticator({ page });
    await page.goto(`${console.url}/invitation#${secret}`);
    await verified(false);
    await press(page, 'Register a passkey of this device');
    await page.getByText('No passkey was registered.').waitFor();
    await verified(true);
    await press(page, 'Register a passkey of this device');
    await press(page, 'I have kept them');
    await isSignedIn(page);
    await signOut(page, 'emil');
    await press(page, 'Sign in with a passkey');
    await isSignedIn(page);
    await page.goto(`${console.url}/account`);
    await press(page, 'Use a passkey');
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByText('You sign in with nothing else').waitFor();
    await looksRight(page, 'the passkeys');
    await press(page, 'Sign out everywhere');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });
});
