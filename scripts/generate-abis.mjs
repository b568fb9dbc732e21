#!/usr/bin/env node
// Compiles the contracts and writes what is made of them: their ABIs and bytecode to abis/, so that only this script and the contract tests need a
// compiler, the ABIs as JSON to abis/json/, and the compiler's input for the verification of their sources to contracts/verification/.
// With --check it writes nothing, and fails when a file is outdated.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const HEADER = '// Generated from contracts/ by scripts/generate-abis.mjs. Do not edit.\n\n';

execFileSync(path.join(root, 'node_modules/.bin/forge'), ['build', '--quiet', 'contracts/src'], { cwd: root, stdio: 'inherit' });
const token = artifact('EMoneyToken');
const proxy = artifact('ERC1967Proxy');
const settlement = artifact('SwapSettlement');
const timelock = artifact('TimelockController');
const contracts = { EMoneyToken: token, ERC1967Proxy: proxy, SwapSettlement: settlement, TimelockController: timelock };

const files = {
  'abis/eMoneyToken.ts': constant('eMoneyTokenAbi', token.abi),
  'abis/erc1967Proxy.ts': constant('erc1967ProxyAbi', proxy.abi),
  'abis/swapSettlement.ts': constant('swapSettlementAbi', settlement.abi),
  'abis/timelockController.ts': constant('timelockControllerAbi', timelock.abi),
  'abis/bytecode.ts': `${HEADER}// Creation bytecode; constructor arguments are appended to it.\n\n${[
    bytecode('eMoneyTokenBytecode', token),
    bytecode('erc1967ProxyBytecode', proxy),
    bytecode('swapSettlementBytecode', settlement),
    bytecode('timelockControllerBytecode', timelock),
    '// Runtime code: the creation bytecode from byte `start` on, with the own address of the contract in the words at `ownAddressAt`.',
    runtime('eMoneyTokenRuntime', token),
    runtime('erc1967ProxyRuntime', proxy),
    runtime('timelockControllerRuntime', timelock),
  ].join('\n')}`,
  ...Object.fromEntries(Object.entries(contracts).map(([name, { abi }]) => [`abis/json/${name}.json`, json(abi)])),
  ...Object.fromEntries(
    Object.entries(contracts).map(([name, { metadata }]) => [`contracts/verification/${name}.json`, json(compilerInput(metadata))]),
  ),
};

const stale = Object.entries(files).filter(([name, text]) => current(name) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`${name} is outdated: run scripts/generate-abis.mjs`);
  if (stale.length > 0) process.exit(1);
} else {
  if (stale.some(([name]) => name.startsWith('contracts/verification/'))) Object.entries(contracts).forEach(requireSameBytecode);
  for (const [name, text] of stale) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  console.log(stale.length === 0 ? 'all generated files are up to date' : `wrote ${stale.map(([name]) => name).join(', ')}`);
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

/** Where the creation bytecode holds the runtime code, and where that has the contract's own address, the only immutable that is known here. */
function runtime(name, { bytecode, deployedBytecode: { object, immutableReferences = {} } }) {
  const code = object.slice(2);
  const immutables = Object.values(immutableReferences);
  if (!bytecode.object.endsWith(code) || immutables.length > 1)
    throw new Error(`the runtime code of ${name} has more than its own address to fill in`);
  const ownAddressAt = (immutables[0] ?? []).map(({ start }) => start);
  const value = { start: (bytecode.object.length - 2 - code.length) / 2, ownAddressAt };
  return `export const ${name} = ${JSON.stringify(value)} as const;\n`;
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The compiler's standard JSON input, with the sources of one contract alone: what explorers ask for to verify it. */
function compilerInput({ language, sources, settings: { remappings, optimizer, metadata, evmVersion, libraries } }) {
  const contents = Object.keys(sources).map((name) => [name, { content: fs.readFileSync(path.join(root, name), 'utf8') }]);
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'metadata'] } };
  return {
    language,
    sources: Object.fromEntries(contents),
    settings: { remappings, optimizer, metadata, evmVersion, libraries, outputSelection },
  };
}

/** Throws unless the compiler makes the very bytecode of the input. */
function requireSameBytecode([
  name,
  {
    metadata,
    bytecode: { object },
  },
]) {
  const [source] = Object.keys(metadata.settings.compilationTarget);
  const output = JSON.parse(createRequire(import.meta.url)('solc').compile(JSON.stringify(compilerInput(metadata))));
  if (`0x${output.contracts?.[source]?.[name]?.evm.bytecode.object}` !== object)
    throw new Error(`the compiler's input for ${name} does not make its bytecode`);
}

function current(name) {
  const file = path.join(root, name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
