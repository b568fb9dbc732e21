import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript-5';

const root = path.resolve(import.meta.dirname, '../..');

/** The files of the service, as paths from the root of the repository. */
export const sourceFiles = globSync(['src/**/*.{ts,mts,mjs}', 'sandbox/**/*.ts', 'client/*.ts', 'indexer/**/*.ts', 'ponder.config.ts'], {
  cwd: root,
}).sort();

/** The files of the console's pages. */
export const consoleFiles = globSync('console/**/*.{ts,tsx}', { cwd: root }).sort();

/** The syntax tree of a file, with the parents of its nodes. */
export function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Every node below this one, and itself. */
export function nodesOf(node: ts.Node): ts.Node[] {
  const nodes = [node];
  for (const next of nodes) ts.forEachChild(next, (child) => void nodes.push(child));
  return nodes;
}

/** What a file imports, also types alone, and what it loads while it runs: the files of ours as paths, packages by their names. */
export function importsOf(file: string): { files: string[]; packages: string[] } {
  const names = ts.preProcessFile(readFileSync(path.join(root, file), 'utf8')).importedFiles.map(({ fileName }) => fileName);
  const files = names.filter((name) => name.startsWith('.')).map((name) => path.join(path.dirname(file), name));
  const packages = names.filter((name) => !name.startsWith('.') && !name.startsWith('node:')).map(packageOf);
  return { files, packages };
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The entry of a table whose path a file lies below, the longest if there are several; `undefined` when there is none. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, file: string): { folder: string; entry: Entry } | undefined {
  for (let folder = file; folder !== '.' && folder !== '/'; folder = path.dirname(folder)) {
    const entry = table[folder];
    if (entry !== undefined) return { folder, entry };
  }
  return undefined;
}
