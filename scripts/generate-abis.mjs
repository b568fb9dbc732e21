#!/usr/bin/env node
// Compiles the contracts and writes their ABIs and bytecode to abis/, so that only this script and the contract tests need a compiler.
// With --check it writes nothing, and fails when a file is outdated.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const HEADER = '// Generated from contracts/ by scripts/generate-abis.mjs. Do not edit.\n\n';

execFileSync(path.join(root, 'node_modules/.bin/forge'), ['build', '--quiet', 'contracts/src'], { cwd: root, stdio: 'inherit' });
const token = artifact('EMoneyToken');
const proxy = artifact('ERC1967Proxy');
const settlement = artifact('SwapSettlement');
const timelock = artifact('TimelockController');

const files = {
  'eMoneyToken.ts': constant('eMoneyTokenAbi', token.abi),
  'erc1967Proxy.ts': constant('erc1967ProxyAbi', proxy.abi),
  'swapSettlement.ts': constant('swapSettlementAbi', settlement.abi),
  'timelockController.ts': constant('timelockControllerAbi', timelock.abi),
  'bytecode.ts': `${HEADER}// Creation bytecode; constructor arguments are appended to it.\n\n${[
    bytecode('eMoneyTokenBytecode', token),
    bytecode('erc1967ProxyBytecode', proxy),
    bytecode('swapSettlementBytecode', settlement),
    bytecode('timelockControllerBytecode', timelock),
    runtime('eMoneyTokenRuntime', token),
  ].join('\n')}`,
};

const stale = Object.entries(files).filter(([name, text]) => current(name) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`abis/${name} is outdated: run scripts/generate-abis.mjs`);
  if (stale.length > 0) process.exit(1);
} else {
  for (const [name, text] of stale) fs.writeFileSync(path.join(root, 'abis', name), text);
  console.log(stale.length === 0 ? 'abis/ is up to date' : `wrote ${stale.map(([name]) => `abis/${name}`).join(', ')}`);
}

function artifact(name) {
  return JSON.parse(fs.readFileSync(path.join(root, 'contracts/out', `${name}.sol`, `${name}.json`), 'utf8'));
}

function constant(name, value) {
  return `${HEADER}export const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`;
}

function bytecode(name, { bytecode: { object } }) {
  return `export const ${name} = '${object}' as const;\n`;
}

/** Where the creation bytecode holds the runtime code, and where that has the contract's own address, its only immutable. */
function runtime(name, { bytecode, deployedBytecode: { object, immutableReferences } }) {
  const code = object.slice(2);
  const immutables = Object.values(immutableReferences);
  if (!bytecode.object.endsWith(code) || immutables.length !== 1)
    throw new Error('the runtime code has more than its own address to fill in');
  const value = { start: (bytecode.object.length - 2 - code.length) / 2, ownAddressAt: immutables[0].map(({ start }) => start) };
  return [
    '// Runtime code: the creation bytecode from byte `start` on, with the own address of the contract in the words at `ownAddressAt`.',
    `export const ${name} = ${JSON.stringify(value)} as const;\n`,
  ].join('\n');
}

function current(name) {
  const file = path.join(root, 'abis', name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
