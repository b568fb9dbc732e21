import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The major versions of Node for which the package is made. */
const supported = ['20', '22', '24'];

/**
 * The Nodes for which the package is made, as files by major version: those of the search path, and with `NODES=all` those that are missing from the npm
 * registry, installed in `folder`.
 */
export async function supportedNodes(folder: string): Promise<Map<string, string>> {
  const files = [process.execPath, ...(process.env['PATH'] ?? '').split(path.delimiter).map((entry) => path.join(entry, 'node'))];
  const found = new Map<string, string>();
  for (const file of files.filter((one) => existsSync(one))) {
    const { stdout } = await run(file, ['-p', 'process.versions.node.split(".")[0]']);
    if (supported.includes(stdout.trim())) found.set(stdout.trim(), file);
  }
  for (const major of supported.filter((one) => !found.has(one))) {
    if (process.env['NODES'] === 'all') found.set(major, await installNode(major, folder));
    else console.warn(`There is no Node ${major} here: the client was not tried on it. \`npm run test:package\` installs it`);
  }
  return found;
}

async function installNode(major: string, folder: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = path.join(folder, `node-${major}`);
  await run('npm', ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', `${name}@${major}`]);
  return path.join(prefix, 'node_modules', name, 'bin', 'node');
}
