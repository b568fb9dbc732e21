import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const main = path.join(import.meta.dirname, '../../src/cli/main.ts');

/** Loaded before the command: writes at its end whether it has loaded viem. */
const watch = `data:text/javascript,
  import { registerHooks } from 'node:module';
  let isLoaded = false;
  registerHooks({ load(url, context, next) { isLoaded ||= /\\/viem[/.]/.test(url); return next(url, context); } });
  process.on('exit', () => console.log(isLoaded ? '[viem]' : '[no viem]'));`;

it.each([
  ['orders list', false],
  ['payments list', false],
  ['profile list', false],
  ['status', false],
  ['token verify', true],
])('mintrail %s loads the library of chains: %s', (command, isLoaded) => {
  const output = execFileSync(process.execPath, ['--import', watch, main, ...command.split(' '), '--help'], { encoding: 'utf8' });
  expect(output).toMatch(isLoaded ? /^\[viem\]$/m : /^\[no viem\]$/m);
});
