import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConsolePages } from '../console/support/console-pages.ts';
import { hasChromium } from '../support/chromium/chromium.ts';

let console: Awaited<ReturnType<typeof createConsolePages>>;

const lastUse = async (name: string, age?: string) => {
  if (age !== undefined)
    await console.pool.query('update operator_sessions set last_used_at = now() - $2::interval where operator = $1', [name, age]);
  const { rows } = await console.pool.query(
    'select extract(epoch from now() - last_used_at)::int as age from operator_sessions where operator = $1',
    [name],
  );
  return rows[0].age as number;
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
    await context.close();
  });

  it('a person is warned before the session ends, and it ends with all that is shown when the console does not answer', async () => {
    const { page, context, name } = await console.openAs('administrator', '/approvals');
    await page.clock.install();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.clock.fastForward('29:20');
    await page.getByText('You will be signed out, because nobody uses this page.').waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByText('You will be signed out, because nobody uses this page.').waitFor({ state: 'detached' });
    await page.route('**/*', (route) => route.abort());
    await page.clock.fastForward('31:00');
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByText(name).count()).toBe(0);
    await context.close();
  });
});
