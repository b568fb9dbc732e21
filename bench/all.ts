// Measures Mintrail on this machine: node bench/all.ts [PART …] [NUMBER OF CREDITS] [--orders NUMBER], by default every part with 5,000 credits. The part
// `history` generates a ledger of 3,000,000 orders when it is named, else of 200,000.
import { parseArgs } from 'node:util';
import { benchFile } from './bank-file.ts';
import { benchHttp, benchSteady, warmUp } from './credits.ts';
import { benchGas } from './gas.ts';
import { benchHistory } from './history/history.ts';
import { benchLists } from './lists.ts';
import { judged, print, shortened } from './report.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';
import { benchSignatures } from './signatures.ts';
import { benchWakeUps } from './wake-ups.ts';

/** Most memory that a network's worker may use. */
const mostWorkerMegabytes = 250;

const alone: Record<string, () => Promise<void>> = {
  signatures: benchSignatures,
  gas: benchGas,
  'wake-ups': benchWakeUps,
  history: () => benchHistory(orders),
};
const onSandbox: Record<string, (sandbox: BenchSandbox, credits: number) => Promise<void>> = {
  file: benchFile,
  http: benchHttp,
  steady: benchSteady,
  lists: benchLists,
};

const { values: options, positionals: words } = parseArgs({ allowPositionals: true, options: { orders: { type: 'string' } } });
const credits = Number(words.find((word) => /^\d+$/.test(word)) ?? 5_000);
const known = [...Object.keys(alone), ...Object.keys(onSandbox)];
const named = words.filter((word) => !/^\d+$/.test(word));
const unknown = named.filter((word) => !known.includes(word));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts are ${known.join(', ')}; a number is the number of credits`);
  process.exit(2);
}
const selected = new Set(named.length > 0 ? named : known);
const orders = Number(options.orders ?? (named.includes('history') ? 3_000_000 : 200_000));

for (const [name, bench] of Object.entries(alone)) if (selected.has(name)) await bench();
if (Object.keys(onSandbox).some((name) => selected.has(name))) await benchOnSandbox();

async function benchOnSandbox(): Promise<void> {
  const sandbox = await startBenchSandbox();
  try {
    await warmUp(sandbox);
    for (const [name, bench] of Object.entries(onSandbox)) if (selected.has(name)) await bench(sandbox, credits);
    printMemory(sandbox);
  } finally {
    await sandbox.stop();
  }
}

function printMemory(sandbox: BenchSandbox): void {
  const rows = sandbox.processes().map(({ name, resident, peak }): [string, string] => {
    const text = `${Math.round(resident)} MB, peak ${Math.round(peak)} MB`;
    const isWorker = name.includes('worker --chain');
    return [shortened(name), isWorker ? judged(text, peak <= mostWorkerMegabytes, `at most ${mostWorkerMegabytes} MB`) : text];
  });
  print('memory of each process, resident', rows);
}
