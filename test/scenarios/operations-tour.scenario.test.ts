import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../support/chromium/chromium.ts';
import { noRedis } from '../support/processes/redis.ts';
import { until } from '../support/until.ts';
import { acceptInvitation } from './console-person.ts';
import { type OperatorsTour, prepareOperatorsTour } from './operators-tour.ts';

/** `npm run tour` walks all of it, with the waits of the page. */
const isWhole = process.env['TOUR'] === 'long';
/** What a fault row of `npm run faults`, or a scenario of its own, shows in less time. */
const ofMachine = 'Bad days of the machine';

let tour: OperatorsTour;

beforeAll(async () => {
  if (noRedis !== undefined) console.warn(noRedis);
  else tour = await prepareOperatorsTour(mkdtempSync(path.join(tmpdir(), 'mintrail-operator-')), isWhole ? 'as documented' : 'short');
});
afterAll(() => tour?.end());

it.skipIf(noRedis !== undefined)(
  'takes an operator from an empty machine to money in and money out, and through the bad days, word by word',
  async () => {
    await tour.follow('The first day');
    if (hasChromium) await signIn(tour.invitations()[0] ?? '');
    await tour.follow('Bad days of the token', ...(isWhole ? [ofMachine] : []));
  },
  1_800_000,
);

/** The browser's part of the tour: the operator accepts the invitation, and the console says what the command line said last. */
async function signIn(link: string): Promise<void> {
  await until('the console has built its pages', async () => (await fetch(new URL(link).origin)).ok || undefined);
  const browser = await launchChromium();
  try {
    const { person } = await acceptInvitation(browser, link);
    expect(person.name).toBe('anna');
    await person.page.getByText('acted_alone').waitFor();
    expect(person.complaints).toEqual([]);
  } finally {
    await browser.close();
  }
}
