import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const FORGE = createRequire(import.meta.url).resolve('@foundry-rs/forge-linux-amd64/bin/forge');
/** An eighth of what `npx forge test` runs. */
const short = { FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '6' };

// One after the other: forge guards its build folder by nothing.
test('every unit, fuzz and invariant test of the contracts passes', async () => {
  const { code, output } = await run(FORGE, ['test'], short);
  expect(code, output).toBe(0);
  expect(output).toMatch(/\d+ tests passed, 0 failed, 0 skipped/);
});

test('the generated ABIs and bytecodes are those of the contracts', async () => {
  const { code, output } = await run(process.execPath, ['scripts/generate-abis.mjs', '--check']);
  expect(code, output).toBe(0);
});

function run(
  command: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, NO_COLOR: '1', ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
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
