// Installs the dependencies when they are missing, outdated or incomplete, and bundles them. Plain JavaScript for Node 20 without dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledFiles } from '../src/platform/process/bundled-dependencies.mjs';
import { findNode } from '../src/cli/node-runtime.mjs';

export const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs `npm ci` unless the installation matches the lock file, and bundles what is installed. */
export async function ensureDependencies() {
  await ensureInstalled();
  if (bundledFiles() !== undefined) return;
  // In a process of its own: this one may be an older Node.
  const { status, stderr } = spawnSync(findNode(), [path.join(project, 'scripts/bundle-dependencies.mjs')], { encoding: 'utf8' });
  if (status !== 0) console.error(`The dependencies could not be bundled, so each start takes longer: ${stderr}`);
}

async function ensureInstalled() {
  const reason = staleness();
  if (!reason) return;
  console.log(`Installing dependencies (${reason}); this takes a minute or two, once.`);
  // npm writes this file last, so without it an installation is known to be incomplete.
  rmSync(path.join(project, 'node_modules', '.package-lock.json'), { force: true });
  const startedAt = Date.now();
  await npm(['ci', '--include=dev', '--include=optional', '--no-progress', '--loglevel=error']);
  const left = staleness();
  if (left)
    throw new Error(
      `npm ci succeeded, but the installation does not match package-lock.json (${left}). Delete node_modules and try again.`,
    );
  console.log(`Dependencies installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/** The reason to install the dependencies; undefined when there is none. */
export function staleness() {
  const installedFile = path.join(project, 'node_modules', '.package-lock.json');
  if (!existsSync(path.join(project, 'node_modules'))) return 'there are none yet';
  if (!existsSync(installedFile)) return 'the last installation was not finished';
  const wanted = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  for (const [where, entry] of Object.entries(wanted)) {
    if (where === '') continue;
    const current = installed[where];
    // Optional packages and those of other platforms may be missing.
    if (!current && (entry.optional || entry.devOptional || entry.peer || entry.os || entry.cpu || entry.extraneous)) continue;
    if (current?.version !== entry.version || current?.integrity !== entry.integrity)
      return `${where.replace('node_modules/', '')} is not the locked version`;
    if (!existsSync(path.join(project, where, 'package.json'))) return `${where} is missing`;
  }
  return Object.keys(installed).some((where) => !wanted[where]) ? 'something is installed that is not in package-lock.json' : undefined;
}

function npm(args) {
  const script = process.env.npm_execpath;
  const [command, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const startedAt = Date.now();
  const progress = setInterval(() => console.log(`  still installing, ${Math.round((Date.now() - startedAt) / 1000)} s`), 10_000);
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd: project, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.on('error', (error) => reject(new Error(`npm cannot be run: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `Installing the dependencies failed (npm ci, ${signal ?? `exit code ${code}`}):\n${withoutUsage(errors)}\nIt needs access to the npm registry; behind a proxy set HTTPS_PROXY. Then try again.`,
          ),
        );
    });
  }).finally(() => clearInterval(progress));
}

// npm prints a hundred lines about its usage after the reason.
function withoutUsage(errors) {
  return errors
    .split(/^npm error (?:Clean install a project|Usage:)/m)[0]
    .replaceAll(/^npm error\s*$/gm, '')
    .trim();
}
