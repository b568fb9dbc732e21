import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const project = path.resolve(import.meta.dirname, '../../..');

/** The packages of this clone, which programs beside the installed client may use. */
export const modules = path.join(project, 'node_modules');

const compilers = { 'TypeScript 5': 'typescript-5/bin/tsc', 'TypeScript 7': 'typescript/bin/tsc' };
const resolutions = {
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
};

/**
 * Packs the client, and installs the tarball by npm in an empty folder, without asking a registry.
 */
export async function installPackage() {
  const tarballs = mkdtempSync(path.join(tmpdir(), 'mintrail-tarballs-'));
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-installed-'));
  try {
    await run('npm', ['run', 'package', '--', '--pack-destination', tarballs], { cwd: project });
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    const files = readdirSync(tarballs).map((name) => path.join(tarballs, name));
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], { cwd: folder });
  } finally {
    rmSync(tarballs, { recursive: true, force: true });
  }
  for (const name of ['viem', '@types']) symlinkSync(path.join(modules, name), path.join(folder, 'node_modules', name));
  return {
    folder,
    /** What the compiler finds in a file of the folder; nothing when all is well. */
    async compile(compiler: keyof typeof compilers, resolution: keyof typeof resolutions, file: string, options: object) {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, target: 'es2022' };
      const compilerOptions = { ...strict, ...resolutions[resolution], ...options };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
      return run(process.execPath, [path.join(modules, compilers[compiler]), '-p', folder]).then(
        ({ stdout }) => stdout,
        (error: { stdout: string }) => error.stdout,
      );
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A client that is installed as integrators do it. */
export type InstalledPackage = Awaited<ReturnType<typeof installPackage>>;
