import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read } from './pages.ts';

/** The folders of the table below `### Who may import whom`, in its order, each with those that it may import. */
function documentedLayers(): Map<string, string[]> {
  const section = /^### Who may import whom\n(.*?)^##/ms.exec(read('docs/architecture.md'))?.[1] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  const folders = rows.map(([, folder = '']) => folder);
  return new Map(
    rows.map(([, folder = '', cell = '']) => {
      const names = [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      return [folder, cell.startsWith('every folder') ? folders : names];
    }),
  );
}

/** `src/ledger/…` and `abis/…` are in the folders `ledger` and `abis`. */
const folderOf = (file: string): string => file.replace(/^src\//, '').split('/')[0] ?? '';

/** Every import of one folder by another, with the file that makes it. */
function imports(): { file: string; from: string; to: string }[] {
  return projectFiles('src', 'indexer', 'abis')
    .filter((file) => /\.(?:ts|mjs|mts)$/.test(file) && file.split('/').length > 2 - Number(file.startsWith('abis/')))
    .flatMap((file) => {
      const targets = [...read(file).matchAll(/\b(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target = '']) => target);
      return targets.map((target) => ({ file, from: folderOf(file), to: folderOf(path.join(path.dirname(file), target)) }));
    })
    .filter(({ from, to }) => from !== to && to !== 'package.json' && to !== 'ponder.config');
}

describe('the table of folders in docs/architecture.md', () => {
  const layers = documentedLayers();

  it('names every folder that imports or is imported', () => {
    const folders = new Set(imports().flatMap(({ from, to }) => [from, to]));
    expect([...folders].filter((folder) => !layers.has(folder))).toEqual([]);
  });

  it('allows every import that there is', () => {
    const forbidden = imports().filter(({ from, to }) => !layers.get(from)?.includes(to));
    expect(forbidden).toEqual([]);
  });

  it('lets a folder import only folders further down', () => {
    const order = [...layers.keys()];
    const upward = [...layers].flatMap(([folder, allowed]) =>
      allowed.filter((name) => name !== folder && order.indexOf(name) <= order.indexOf(folder)).map((name) => `${folder} imports ${name}`),
    );
    expect(upward).toEqual([]);
  });
});
