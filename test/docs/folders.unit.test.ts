import { expect, it } from 'vitest';
import { projectFiles, read } from './pages.ts';

/** The folders directly below one, as git has them. */
function foldersIn(parent: string): string[] {
  const names = projectFiles(parent).map((file) => file.slice(parent.length + 1).split('/'));
  return [...new Set(names.filter((parts) => parts.length > 1).map(([name = '']) => name))]
    .filter((name) => !name.includes('.'))
    .toSorted();
}

/** The lines of the picture of folders in docs/architecture.md that begin with so many spaces and name a folder. */
function drawnFolders(from: string, spaces: number): string[] {
  const drawing = /^## Folders\n\n```text\n(.*?)^```/ms.exec(read('docs/architecture.md'))?.[1] ?? '';
  const lines = drawing.slice(drawing.indexOf(from) + from.length).split('\n');
  const deeper = lines.slice(1, 1 + lines.slice(1).findIndex((line) => line.search(/\S/) < spaces));
  const named = deeper.flatMap((line) => (line.search(/\S/) === spaces ? (/^ *(\w+)\//.exec(line)?.[1] ?? []) : []));
  return named.toSorted();
}

it('draws the folders of src in docs/architecture.md', () => {
  expect(drawnFolders('src/', 2)).toEqual(foldersIn('src'));
});

it('draws the rooms of the ledger in docs/architecture.md', () => {
  expect(drawnFolders('  ledger/', 4)).toEqual(foldersIn('src/ledger'));
});

it('names the folders of platform, chain, bank, workers and api there', () => {
  const drawing = read('docs/architecture.md');
  for (const folder of ['platform', 'chain', 'bank', 'workers', 'api']) {
    const line = new RegExp(`^  ${folder}/ +(.*)$`, 'm').exec(drawing)?.[1] ?? '';
    const named = [...line.matchAll(/\b([\w-]+)\//g)].map(([, name = '']) => name);
    expect(named.toSorted(), folder).toEqual(foldersIn(`src/${folder}`));
  }
});
