import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ensureDependencies } from '../../scripts/dependencies.mjs';
import { indexedNetworkEnvironment } from '../../src/indexed/indexed-network.ts';
import { bundledFiles } from '../../src/platform/process/bundled-dependencies.mjs';
import { loadNetwork } from '../../src/platform/settings.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What a process sees of each specifier, where modules are replaced as for Ponder: the names, and what each is. */
function exportsOf(specifiers: readonly string[], preparation: string): Record<string, Record<string, string>> {
  const program = `const { replaceModules } = await import('./src/workers/indexer/ponder-modules.ts');
    replaceModules();
    ${preparation}
    const kinds = (module) => Object.fromEntries(Object.keys(module).filter((name) => name !== 'module.exports').sort().map((name) => [name, typeof module[name]]));
    const found = await Promise.all(${JSON.stringify(specifiers)}.map(async (one) => [one, kinds(await import(one))]));
    process.stdout.write(JSON.stringify(Object.fromEntries(found)), () => process.exit());`;
  const args = ['--input-type=module', '--eval', program];
  const network = loadNetwork('gnosis', { GNOSIS_RPC_URLS: 'http://127.0.0.1:1' });
  const env = { ...process.env, ...indexedNetworkEnvironment(network, 'http://127.0.0.1:1') };
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' })) as ReturnType<
    typeof exportsOf
  >;
}

it('the bundle of the dependencies has all that they export', async () => {
  await ensureDependencies();
  const specifiers = Object.keys(bundledFiles() ?? {});
  expect(specifiers).toEqual(expect.arrayContaining(['hono', 'kysely', 'pg', 'ponder', 'ponder/start', 'viem', 'viem/accounts', 'zod']));
  const bundled = exportsOf(
    specifiers,
    `const { useBundledDependencies } = await import('./src/platform/process/bundled-dependencies.mjs'); useBundledDependencies();
     const { registerHooks } = await import('node:module');
     registerHooks({ load(url, context, next) {
       if (/\\/node_modules\\/(?!\\.cache\\/)/.test(url) && !/\\/node_modules\\/(?:sharp|@node-rs|secp256k1|unpdf)/.test(url)) throw new Error(url + ' is loaded beside the bundle');
       return next(url, context);
     } });`,
  );
  expect(bundled).toEqual(exportsOf(specifiers, ''));
});

it('a bundle counts only if it was made of what is installed, by the script that is there', async () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'bundle-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const [library, script] = ['src/platform/process/bundled-dependencies.mjs', 'scripts/bundle-dependencies.mjs'];
  for (const file of [library, script, 'src/workers/indexer/ponder-modules.ts']) cpSync(path.join(root, file), path.join(copy, file));
  const {
    bundledFiles: found,
    makerOfBundle,
    tableOfBundle,
  } = (await import(pathToFileURL(path.join(copy, library)).href)) as {
    bundledFiles: typeof bundledFiles;
    makerOfBundle: () => string | undefined;
    tableOfBundle: URL;
  };
  expect(found()).toBeUndefined();
  mkdirSync(new URL('.', tableOfBundle), { recursive: true });
  const files = { pg: 'pg.mjs' };
  const make = () => writeFileSync(tableOfBundle, JSON.stringify({ maker: makerOfBundle(), files }));
  make();
  expect(found()).toEqual(files);
  writeFileSync(path.join(copy, script), '// Another one.');
  expect(found()).toBeUndefined();
  make();
  expect(found()).toEqual(files);
  // The image has no script.
  rmSync(path.join(copy, script));
  expect(found()).toEqual(files);
  const later = new Date(Date.now() + 60_000);
  const installation = path.join(copy, 'node_modules/.package-lock.json');
  writeFileSync(installation, '{}');
  utimesSync(installation, later, later);
  expect(found()).toBeUndefined();
});
