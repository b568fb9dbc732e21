import { expect, it } from 'vitest';
import { projectFiles, read } from './pages.ts';

const named = (text: string): string[] => [...text.matchAll(/['`](mintrail_[a-z_]+)['`]/g)].map(([, name = '']) => name);

it('lists every metric in docs/operations.md, and no other', () => {
  const served = new Set(projectFiles('src').flatMap((file) => named(read(file))));
  expect(served.size).toBeGreaterThan(5);
  expect([...new Set(named(read('docs/operations.md')))].toSorted()).toEqual([...served].toSorted());
});
