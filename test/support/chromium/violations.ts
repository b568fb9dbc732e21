import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on a page by the rules of WCAG 2.2 AA, and by those with more tags: the rule and where, for each. */
export async function violationsOf(page: Page, ...tags: string[]): Promise<string[]> {
  // By the debugger's protocol, which no content security policy concerns.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  // All that a page does right would take three times as long.
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', ...tags];
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const violations = await page.evaluate<AxeResults['violations']>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
  );
}
