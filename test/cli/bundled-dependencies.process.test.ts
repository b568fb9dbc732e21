import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ensureDependencies } from '../../scripts/dependencies.mjs';
import { filesOfBundle } from '../../src/cli/bundled-dependencies.mjs';

const root = path.resolve(import.meta.dirname, '../..');

/** What a process sees of each specifier: the names, and what each is. */
function exportsOf(specifiers: readonly string[], preparation: string): Record<string, Record<string, string>> {
  const program = `${preparation}
    const kinds = (module) => Object.fromEntries(Object.keys(module).filter((name) => name !== 'module.exports').sort().map((name) => [name, typeof module[name]]));
    const found = await Promise.all(${JSON.stringify(specifiers)}.map(async (one) => [one, kinds(await import(one))]));
    process.stdout.write(JSON.stringify(Object.fromEntries(found)), () => process.exit());`;
  const args = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })) as ReturnType<typeof exportsOf>;
}

it('the bundle of the dependencies has all that they export', async () => {
  await ensureDependencies();
  const specifiers = Object.keys(JSON.parse(readFileSync(filesOfBundle, 'utf8')) as object);
  expect(specifiers).toEqual(expect.arrayContaining(['hono', 'kysely', 'pg', 'viem', 'viem/accounts', 'zod']));
  const bundled = exportsOf(
    specifiers,
    `const { useBundledDependencies } = await import('./src/cli/bundled-dependencies.mjs'); useBundledDependencies();
     const { registerHooks } = await import('node:module');
     registerHooks({ load(url, context, next) {
       if (/\\/node_modules\\/(?!\\.cache\\/)/.test(url) && !/\\/node_modules\\/(?:sharp|@node-rs|secp256k1|unpdf)/.test(url)) throw new Error(url + ' is loaded beside the bundle');
       return next(url, context);
     } });`,
  );
  expect(bundled).toEqual(exportsOf(specifiers, ''));
});
