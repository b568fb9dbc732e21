import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const hasSolver = spawnSync('z3', ['--version']).status === 0;

// Left out where z3 is missing: apt-get install z3.
test.skipIf(!hasSolver)('the solver proves that the supply is the sum of balances and that a sequence number is used at most once', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/prove.mjs', '--short'], { cwd: ROOT, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/A run of 2 items uses each sequence number at most once, and touches no other: proven/);
});
