import { expect, it } from 'vitest';
import { rows } from '../faults/rows.ts';
import { read } from './pages.ts';

it('docs/faults.md has each row that `npm run faults` runs, and no other, in the same order', () => {
  const [, table = ''] = /^## What is run\n(.*?)^## /ms.exec(read('docs/faults.md')) ?? [];
  const names = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, name = '']) => name).slice(1);
  expect(names).toEqual(rows.map(({ name }) => name));
});
