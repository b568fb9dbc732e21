import { globSync } from 'node:fs';
import { expect, it } from 'vitest';

it('every test file says by its name in which group it runs', () => {
  const files = globSync('test/**/*.test.ts');
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !/\.(unit|db|process|scenario|sandbox|alone)\.test\.ts$/.test(file))).toEqual([]);
});
