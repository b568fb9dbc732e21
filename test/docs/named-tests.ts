import { existsSync } from 'node:fs';
import path from 'node:path';
import { project, read } from './pages.ts';

/**
 * What is wrong with the cell of a table that names tests, such as `test/docs/pages.unit.test.ts` "has links"; empty when they are there.
 * A name may be shortened to its beginning.
 */
export function testProblems(cell: string): string[] {
  const named = [...cell.matchAll(/`((?:contracts\/)?test\/[^`]+)`((?: "[^"]+")*)/g)];
  if (named.map(([text]) => text).join('; ') !== cell) return [`cannot be read: ${cell}`];
  return named.flatMap(([, file = '', names = '']) => {
    if (!existsSync(path.join(project, file))) return [`there is no ${file}`];
    const source = read(file).replaceAll(String.raw`\'`, "'");
    return [...names.matchAll(/"([^"]+)"/g)].flatMap(([, name = '']) => (source.includes(name) ? [] : [`${file} has no test "${name}"`]));
  });
}
