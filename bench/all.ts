// Measures Mintrail on this machine: node bench/all.ts [PART …] [--credits NUMBER] [--orders NUMBER] [--hours NUMBER] [--strict]. See bench/README.md.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchFile, largeCount } from './bank-file.ts';
import { benchHttp, benchSteady, warmUp } from './credits.ts';
import { createResults, type FigureKey, isMet, type Results } from './figures.ts';
import { benchConsole } from './console.ts';
import { benchGas } from './gas.ts';
import { writeHistoryPage } from './history-page.ts';
import { benchHistory } from './history/history.ts';
import { benchIdle } from './idle.ts';
import { benchLists } from './lists.ts';
import { surroundings } from './machine.ts';
import { watchMemory } from './memory.ts';
import { benchAlone, benchOffered, benchRedemptions, benchStatements } from './redemptions.ts';
import { printFigures } from './report.ts';
import { benchRest } from './rest.ts';
import { benchRpcCalls } from './rpc-calls.ts';
import { machineSpeed, recordSpeed } from './machine-speed.ts';
import { appendToHistory } from './run-history.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';
import { benchSignatures } from './signatures.ts';
import { benchUse } from './use.ts';
import { benchWakeUps } from './wake-ups.ts';

/** What the command line sets. */
interface Sizes {
  credits: number;
  orders: number;
  hours: number;
}

/** Parts that share a sandbox, in the order in which they are run: an idle one comes first, and a file of a million credits last. */
const onSandbox: Record<string, (sandbox: BenchSandbox, results: Results, sizes: Sizes) => Promise<void>> = {
  start: () => Promise.resolve(),
  idle: benchIdle,
  use: benchUse,
  alone: benchAlone,
  redemptions: benchRedemptions,
  offered: benchOffered,
  statements: benchStatements,
  http: benchHttp,
  steady: benchSteady,
  rpc: benchRpcCalls,
  lists: benchLists,
  file: benchFile,
};
const withoutSandbox: Record<string, (results: Results, sizes: Sizes) => Promise<void>> = {
  history: recordHistory,
  console: benchConsole,
  signatures: benchSignatures,
  gas: benchGas,
  'wake-ups': benchWakeUps,
  rest: benchRest,
};
const known = [...Object.keys(onSandbox), ...Object.keys(withoutSandbox)];

/** What is measured when no part is named: every figure of the table, within ten minutes. */
const byDefault = ['start', 'idle', 'alone', 'redemptions', 'offered', 'statements', 'http', 'steady', 'rpc', 'file', 'history'];

const startedAt = new Date();
const around = surroundings(loadavg()[0] ?? 0);
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    credits: { type: 'string' },
    orders: { type: 'string' },
    hours: { type: 'string' },
    strict: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((word) => !known.includes(word));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts are ${known.join(', ')}`);
  process.exit(2);
}
const selected = new Set(positionals.length > 0 ? positionals : byDefault);
const sizes: Sizes = {
  credits: wholeNumber('--credits', options.credits ?? largeCount),
  orders: wholeNumber('--orders', options.orders ?? (positionals.includes('history') ? 3_000_000 : 200_000)),
  hours: wholeNumber('--hours', options.hours ?? 3),
};
const results = createResults();
const speedBefore = await machineSpeed();
const failed: string[] = [];

if (Object.keys(onSandbox).some((name) => selected.has(name))) await attempt('sandbox', benchOnSandbox);
for (const [name, bench] of Object.entries(withoutSandbox)) if (selected.has(name)) await attempt(name, () => bench(results, sizes));
recordSpeed(results, speedBefore, await machineSpeed());
printFigures(results);
appendToHistory(results, around, startedAt);
writeHistoryPage();
console.log(
  `\n${around.commit} on ${around.machine}, load ${around.load.toFixed(1)}; ${Math.round((Date.now() - startedAt.getTime()) / 1_000)} s`,
);
if (failed.length > 0) console.error(`These parts could not be measured: ${failed.join(', ')}`);
const missed = [...results.measured].filter(([key, { value }]: [FigureKey, { value: number }]) => isMet(key, value) === false);
process.exitCode = failed.length > 0 || (options.strict && missed.length > 0) ? 1 : 0;

async function benchOnSandbox(): Promise<void> {
  const sandbox = await startBenchSandbox(results);
  try {
    const memory = watchMemory(sandbox);
    await attempt('warm-up', () => warmUp(sandbox));
    for (const [name, bench] of Object.entries(onSandbox))
      if (selected.has(name)) await attempt(name, () => bench(sandbox, results, sizes));
    await memory.stop(results);
  } finally {
    await sandbox.stop();
  }
}

function wholeNumber(option: string, value: string | number): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`${option} must be a whole number, not ${value}`);
  process.exit(2);
}

/** Records the slowest answers of a ledger with history. */
async function recordHistory(results: Results, { orders }: Sizes): Promise<void> {
  const answers = await benchHistory(orders);
  const note = `${orders.toLocaleString('en')} orders`;
  const slowest = (key: 'median' | 'p99') => answers.reduce((most, answer) => (answer[key] > most[key] ? answer : most));
  for (const [figure, key] of [
    ['questionMedian', 'median'],
    ['questionP99', 'p99'],
  ] as const)
    results.record(figure, slowest(key)[key], `${slowest(key).name}, ${note}`);
  results.record('questionScans', answers.filter(({ growth }) => growth !== '').length, note);
}

/** A part that fails does not stop the others. */
async function attempt(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    failed.push(name);
    console.error(`\n${name} could not be measured:`, error);
  }
}
