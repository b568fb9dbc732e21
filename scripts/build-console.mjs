// `npm run build:console`: builds the pages of the console into dist/console/. With `--if-stale` only when their sources have changed since, which
// costs a tenth of a second to see.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { project } from './dependencies.mjs';

const target = path.join(project, 'dist/console');
const hashFile = path.join(project, 'dist/console.sha256');

const hash = hashOfSources();
const ifStale = process.argv.includes('--if-stale');
if (!ifStale || !isFresh()) await build();

function isFresh() {
  return existsSync(target) && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash;
}

/** Builds beside the target and then puts it there: a console that is running never reads half of a build, and two builds do not mix. */
async function build() {
  // Tests start it with another value, with which vite takes React for developers, twice as large.
  process.env.NODE_ENV = 'production';
  const { build: viteBuild } = await import('vite');
  const fresh = `${target}-${process.pid}`;
  await viteBuild({ configFile: path.join(project, 'console/vite.config.ts'), logLevel: 'warn', build: { outDir: fresh } });
  // Another may have built the same meanwhile, and a page may be loading from it.
  if (ifStale && isFresh()) return rmSync(fresh, { recursive: true, force: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
  writeFileSync(hashFile, hash);
}

/** Of all that the bundle is made of: the pages, and the versions of the libraries. */
function hashOfSources() {
  const sources = globSync('console/**/*', { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const sum = createHash('sha256');
  for (const file of [path.join(project, 'package-lock.json'), ...sources.sort()])
    sum.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return sum.digest('hex');
}
