import { describe, expect, it } from 'vitest';
import { layers } from '../structure/layers.ts';
import { read } from './pages.ts';

/** The folders of the table below `### Who may import whom`, in its order, each with those that it may import. */
function documentedLayers(): Map<string, string[]> {
  const section = /^### Who may import whom\n(.*?)^##/ms.exec(read('docs/architecture.md'))?.[1] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  const folders = rows.map(([, folder = '']) => folder);
  return new Map(
    rows.map(([, folder = '', cell = ''], index) => {
      const names = [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      return [folder, cell.startsWith('every folder') ? folders.slice(index + 1) : names];
    }),
  );
}

/** `src/ledger/…` is in the folder `ledger`; Ponder's settings belong to its program. */
const folderOf = (file: string): string =>
  file
    .replace(/^src\//, '')
    .replace('ponder.config.ts', 'indexer')
    .split('/')[0] ?? '';

describe('the table of folders in docs/architecture.md', () => {
  const documented = documentedLayers();

  it('shows what the table of test/structure/layers.ts allows, folder by folder', () => {
    const allowed = new Map<string, string[]>();
    for (const [folder, targets] of Object.entries(layers)) {
      const names = [...(allowed.get(folderOf(folder)) ?? []), ...targets.map(folderOf)].filter((name) => name !== folderOf(folder));
      allowed.set(folderOf(folder), [...new Set(names)].toSorted());
    }
    const shown = [...documented].map(([folder, names]) => [folder, names.toSorted()] as const);
    for (const [folder, names] of shown)
      if (folder !== 'cli' && folder !== 'sandbox') expect(names, folder).toEqual(allowed.get(folder) ?? []);
    expect(shown.map(([folder]) => folder).toSorted()).toEqual([...new Set([...allowed.keys(), 'abis'])].toSorted());
  });

  it('lets a folder import only folders further down', () => {
    const order = [...documented.keys()];
    const upward = [...documented].flatMap(([folder, allowed]) =>
      allowed.filter((name) => name !== folder && order.indexOf(name) <= order.indexOf(folder)).map((name) => `${folder} imports ${name}`),
    );
    expect(upward).toEqual([]);
  });
});
