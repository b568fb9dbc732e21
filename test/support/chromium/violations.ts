import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on a page by the rules of WCAG 2.2 AA, and by those with more tags: the rule and where, for each. */
export async function violationsOf(page: Page, ...tags: string[]): Promise<string[]> {
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', ...tags];
  // By the debugger's protocol, which no content security policy concerns.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
  );
}
