import { expect, it } from 'vitest';
import { rows } from '../faults/rows.ts';
import { read } from './pages.ts';

it('docs/faults.md has each row and campaign that `npm run faults` runs, and no other, in the same order', () => {
  expect(namesBelow('What is run')).toEqual(rows.map(({ name }) => name));
  // Its module starts programs, which this test may not.
  const [, campaigns = ''] = /export const campaigns(.*?)^\];/ms.exec(read('test/faults/campaigns.ts')) ?? [];
  const names = [...campaigns.matchAll(/name: '(.+)'/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(namesBelow('Under load')).toEqual(names);
});

/** The first cells of the tables below a heading, but those of their heads. */
function namesBelow(heading: string): string[] {
  const [, table = ''] = new RegExp(`^## ${heading}\\n(.*?)^## `, 'ms').exec(read('docs/faults.md')) ?? [];
  return [...table.matchAll(/^\| (.+?) \|.*$(?!\n\|---)/gm)].map(([, name = '']) => name);
}
