import { expect, it } from 'vitest';
import { errorCatalogue } from '../../src/platform/error-catalogue.ts';
import { read } from './pages.ts';

it('docs/errors.md has every error code once, each with its meaning and what to do', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  const inTables = rows.map(([, name = '']) => name);
  expect(inTables.toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
  for (const [row, , cells = ''] of rows)
    expect(
      cells
        .split(' | ')
        .slice(-2)
        .every((cell) => cell.trim().length > 3),
      row,
    ).toBe(true);
});
