import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../src/platform/process/postgres-home.ts';
import { openTerminal, readTour, type Terminal } from './readme-tour.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let clone: string;
const terminals = new Map<number, Terminal>();

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-tour-'));
  clone = path.join(folder, 'mintrail');
  mkdirSync(path.join(folder, 'home'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  execFileSync('git', ['clone', '--quiet', project, clone]);
  linkDependencies();
});

afterAll(async () => {
  for (const terminal of [...terminals.values()].toReversed()) await terminal.close();
  removePostgresHome(path.join(clone, '.mintrail'));
  rmSync(folder, { recursive: true, force: true });
});

/** Installing is a matter of minutes, and was done before any test began. Caches are left out: other tests write to them. */
function linkDependencies(): void {
  const [from, to] = [path.join(project, 'node_modules'), path.join(clone, 'node_modules')];
  mkdirSync(to);
  const entries = readdirSync(from).filter((name) => !['.vite', '.cache'].includes(name));
  const isOneDisk = statSync(from).dev === statSync(to).dev;
  execFileSync('cp', [isOneDisk ? '-al' : '-a', ...entries, to], { cwd: from });
}

/** The environment of somebody who has just logged in. */
async function newcomer(): Promise<Record<string, string | undefined>> {
  const ours = /^(VITEST|NODE_ENV$|BASE_URL$|TEST$|MODE$|DEV$|PROD$|SSR$|npm_)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const PATH = (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((entry) => !entry.includes('node_modules'))
    .join(path.delimiter);
  return { ...env, PATH, HOME: path.join(folder, 'home'), PORT: String(await freePort()) };
}

it('takes a newcomer from a clone to a webhook on their own machine, word by word', async () => {
  const env = await newcomer();
  const blocks = readTour(readFileSync(path.join(clone, 'README.md'), 'utf8'));
  expect(blocks.length).toBeGreaterThan(10);
  for (const { kind, terminal: number, text } of blocks) {
    const terminal = terminals.get(number) ?? openTerminal(clone, env);
    terminals.set(number, terminal);
    if (kind === 'text') await terminal.shows(text);
    else if (number === 3) await terminal.run(text);
    else terminal.type(text);
  }
  const shown = terminals.get(3)?.output() ?? '';
  expect(shown).not.toMatch(/"code":[45]\d\d|not found|Error/);
});
