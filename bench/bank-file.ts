import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { payerIban, statementXml } from '../test/bank/iso20022/camt/statement-xml.ts';
import { figureRows, processorTime } from './credits.ts';
import { allProcessed, now, readFigures } from './orders.ts';
import { print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

const program = fileURLToPath(new URL('../src/cli/mintrail.mjs', import.meta.url));

/** Measures credits in one bank file: all arrive at once, and no HTTP uses the machine. */
export async function benchFile(sandbox: BenchSandbox, count: number): Promise<void> {
  const { dataDir, pool, iban } = sandbox;
  const file = path.join(dataDir, 'statement.xml');
  writeFileSync(file, statementOf(iban, count));
  const since = await now(pool);
  const used = processorTime(sandbox);
  const startedAt = performance.now();
  await importFile(dataDir, file);
  const imported = (performance.now() - startedAt) / 1_000;
  await allProcessed(pool, since, count);
  const figures = await readFigures(pool, since);
  print(`${count} credits in one camt.053 file, one network, 1 s blocks`, [
    // An order counts as placed when the import of its file began: it is one database transaction.
    ['imported', `${Math.round(count / imported)} credits/s, including the start of the command`],
    ...figureRows(figures, true),
    ['processor time', used()],
  ]);
}

function statementOf(iban: string, count: number): string {
  const id = `bench-${Date.now()}`;
  const entries = Array.from({ length: count }, (_, index) => ({
    amount: '1.00',
    reference: `${id}-${index}`,
    transactions: [{ amount: '1.00', creditorIban: iban, payer: { name: 'Jón Jónsson', iban: payerIban }, ustrd: ['bench'] }],
  }));
  return statementXml({ id, entries });
}

async function importFile(dataDir: string, file: string): Promise<void> {
  const child = spawn(process.execPath, [program, 'bank', 'import', file], {
    env: { PATH: process.env['PATH'], MINTRAIL_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`mintrail bank import ended with ${String(code)}`);
}
