import { expect, it } from 'vitest';
import { errorCatalogue } from '../../src/platform/error-catalogue.ts';
import { read } from './pages.ts';

it('docs/errors.md has every error code once, each with its meaning and what to do', () => {
  const rows = [...read('docs/errors.md').matchAll(/^- `(\w+)`(?: \([^)]+\))?: (.{4,}) \*(.{4,})\*$/gm)];
  expect(rows.map(([, name = '']) => name).toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
});
