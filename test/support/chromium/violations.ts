import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The themes of the console, in the order in which {@link violationsIn} is asked for them. */
export const themes = ['light', 'dark'] as const;

/** The rules that look at colours, in which alone the themes differ. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** What axe finds on a page by the rules of WCAG 2.2 AA, and by those with more tags: the rule and where, for each. */
export async function violationsOf(page: Page, ...tags: string[]): Promise<string[]> {
  return violationsBy(page, ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', ...tags]);
}

/** As {@link violationsOf}, in a theme: all in the light one, and in the dark one by the rules that look at colours. */
export async function violationsIn(page: Page, theme: (typeof themes)[number], ...tags: string[]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  return theme === 'light' ? violationsOf(page, ...tags) : violationsBy(page, ofColours);
}

/** The rules are named by their ids or by tags. */
async function violationsBy(page: Page, rules: string[]): Promise<string[]> {
  // By the debugger's protocol, which no content security policy concerns.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  // All that a page does right would take three times as long.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const violations = await page.evaluate<AxeResults['violations']>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
  );
}
