import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../src/platform/process/postgres-home.ts';
import { cloneProject, followTour, newcomer, openTerminal, readTour, type Terminal } from './documented-tour.ts';

let folder: string;
let clone: string;
const terminals = new Map<number, Terminal>();

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-tour-'));
  clone = path.join(folder, 'mintrail');
  mkdirSync(path.join(folder, 'home'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  cloneProject(clone);
});

afterAll(async () => {
  for (const terminal of [...terminals.values()].toReversed()) await terminal.close();
  removePostgresHome(path.join(clone, '.mintrail'));
  rmSync(folder, { recursive: true, force: true });
});

it('takes a newcomer from a clone to a webhook on their own machine, word by word', async () => {
  const env = { ...newcomer(path.join(folder, 'home')), PORT: String(await freePort()) };
  const blocks = readTour(readFileSync(path.join(clone, 'README.md'), 'utf8'), 'Tour');
  expect(blocks.length).toBeGreaterThan(10);
  await followTour(blocks, 3, (number) => {
    const terminal = terminals.get(number) ?? openTerminal(clone, { env });
    terminals.set(number, terminal);
    return terminal;
  });
  expect(terminals.get(3)?.output()).not.toMatch(/"code":[45]\d\d|not found|Error/);
});
