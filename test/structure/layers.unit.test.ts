import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { layers } from './layers.ts';
import { consoleFiles, entryOf, importsOf, sourceFiles } from './sources.ts';

/** Packages that decide how a layer is made, and the only folders that may know them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  hono: ['src/api', 'src/console', 'src/platform/http', 'indexer'],
  '@hono/node-server': ['src/api', 'src/console', 'src/platform/http'],
  '@hono/zod-validator': ['src/console'],
  '@hono/zod-openapi': ['src/api', 'src/wire'],
  bullmq: ['src/platform'],
  ioredis: ['src/api', 'src/platform'],
  kysely: ['src/ledger', 'src/indexed', 'src/platform', 'src/reconciliation', 'src/schema', 'src/trace'],
  pg: ['sandbox', 'src/api', 'src/console', 'src/indexed', 'src/ledger', 'src/platform', 'src/schema', 'src/workers'],
  ponder: ['indexer', 'ponder.config.ts', 'src/workers/indexer'],
  viem: ['sandbox', 'src/api', 'src/chain', 'src/cli', 'src/console', 'src/operations', 'src/wire', 'src/workers', 'indexer'],
};

/** More than this many files side by side are no longer found by looking. */
const mostFilesInFolder = 25;

const imports = new Map(sourceFiles.map((file) => [file, importsOf(file)]));

function forbiddenImports(file: string, imported: readonly string[]): string[] {
  const own = entryOf(layers, file);
  return imported.filter((target) => {
    const folder = entryOf(layers, target)?.folder ?? target.split('/')[0];
    const isAllowed = own?.entry.some((allowed) => allowed === folder || allowed === target) ?? false;
    return folder !== own?.folder && !isAllowed;
  });
}

/** The groups of files that import each other in a circle. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const [order, lowest, stack] = [new Map<string, number>(), new Map<string, number>(), [] as string[]];
  const found: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) as number);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      const reached = order.has(target) ? (stack.includes(target) ? (order.get(target) as number) : Infinity) : visit(target);
      lowest.set(file, Math.min(lowest.get(file) as number, reached));
    }
    if (lowest.get(file) === order.get(file)) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return lowest.get(file) as number;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** The pairs of folders, none of which is in the other, whose files import each other. */
function mutualFolders(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const arrows = new Set(
    [...graph].flatMap(([file, targets]) => targets.map((target) => `${path.dirname(file)} <-> ${path.dirname(target)}`)),
  );
  return [...arrows]
    .filter((arrow) => {
      const [one = '', other = ''] = arrow.split(' <-> ');
      return one < other && !other.startsWith(`${one}/`) && arrows.has(`${other} <-> ${one}`);
    })
    .toSorted();
}

describe('the layers', () => {
  it('are imported downwards only', () => {
    const forbidden = [...imports].flatMap(([file, { files }]) =>
      forbiddenImports(file, files).map((target) => `${file} imports ${target}`),
    );
    expect(forbidden).toEqual([]);
  });

  it('name nothing above themselves', () => {
    const above = Object.entries(layers).flatMap(([folder, below]) =>
      below.filter((target) => entryOf(layers, target)?.entry.includes(folder)).map((target) => `${folder} <-> ${target}`),
    );
    expect(above).toEqual([]);
  });

  it('allow nothing that no file needs', () => {
    const unused = Object.entries(layers).flatMap(([folder, allowed]) => {
      const targets = [...imports].filter(([file]) => entryOf(layers, file)?.folder === folder).flatMap(([, { files }]) => files);
      return allowed
        .filter((one) => !targets.some((target) => target === one || (entryOf(layers, target)?.folder ?? target.split('/')[0]) === one))
        .map((one) => `${folder}: ${one}`);
    });
    expect(unused).toEqual([]);
  });

  it('keep packages that decide how a layer is made to that layer', () => {
    const strays = [...imports].flatMap(([file, imported]) =>
      imported.packages
        .filter((name) => packages[name] !== undefined && !packages[name].some((folder) => `${file}/`.startsWith(`${folder}/`)))
        .map((name) => `${file} imports ${name}`),
    );
    expect(strays).toEqual([]);
  });

  it('have no circle, of types neither', () => {
    expect(circles(new Map([...sourceFiles, ...consoleFiles].map((file) => [file, importsOf(file).files])))).toEqual([]);
  });

  it('have no two folders beside each other that import each other, but for two pairs of the bank', () => {
    expect(mutualFolders(new Map(sourceFiles.map((file) => [file, importsOf(file).files])))).toEqual([
      'src/ledger/bank/claims <-> src/ledger/bank/debits',
      'src/ledger/bank/returns <-> src/ledger/bank/unmatched',
    ]);
  });

  it(`have at most ${mostFilesInFolder} files in a folder`, () => {
    const folders = new Set(sourceFiles.map((file) => path.dirname(file)));
    const full = [...folders].filter(
      (folder) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length > mostFilesInFolder,
    );
    expect(full).toEqual([]);
  });
});

describe('the check of the layers', () => {
  it('sees an import from above, of a file in a folder of the same name too', () => {
    expect(forbiddenImports('src/ledger/orders/orders.ts', ['src/api/app.ts'])).toEqual(['src/api/app.ts']);
    expect(forbiddenImports('src/ledger/access/sessions.ts', ['src/ledger/bank/credits.ts'])).toEqual(['src/ledger/bank/credits.ts']);
    expect(forbiddenImports('src/statements/import-statement.ts', ['src/bank/rail.ts', 'src/ledger/bank/credits.ts'])).toEqual([]);
    expect(forbiddenImports('src/unknown/file.ts', ['src/platform/errors.ts'])).toEqual(['src/platform/errors.ts']);
  });

  it('sees two folders that import each other, unless one is in the other', () => {
    const graph = new Map([
      ['a/b/one.ts', ['a/c/two.ts', 'a/three.ts']],
      ['a/c/four.ts', ['a/b/five.ts']],
      ['a/three.ts', ['a/b/one.ts']],
    ]);
    expect(mutualFolders(graph)).toEqual(['a/b <-> a/c']);
  });

  it('sees a circle of three', () => {
    expect(
      circles(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a']],
          ['d', ['a']],
        ]),
      ),
    ).toEqual([['a', 'b', 'c']]);
  });
});
