import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const FORGE = createRequire(import.meta.url).resolve('@foundry-rs/forge-linux-amd64/bin/forge');
// A first build compiles everything with a compiler in JavaScript, on a machine that others may be using.
const TIMEOUT_MS = 300_000;

// One after the other: forge guards its build folder by nothing.
test('every unit, fuzz and invariant test of the contracts passes', { timeout: TIMEOUT_MS }, async () => {
  const { code, output } = await run(FORGE, ['test']);
  expect(code, output).toBe(0);
  expect(output).toMatch(/\d+ tests passed, 0 failed, 0 skipped/);
});

test('the generated ABIs and bytecodes are those of the contracts', { timeout: TIMEOUT_MS }, async () => {
  const { code, output } = await run(process.execPath, ['scripts/generate-abis.mjs', '--check']);
  expect(code, output).toBe(0);
});

function run(command: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
