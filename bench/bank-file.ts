import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { payerIban, statementXml } from '../test/bank/iso20022/statement-xml.ts';
import { figureRows } from './credits.ts';
import { allProcessed, now, readFigures } from './orders.ts';
import { print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

const program = fileURLToPath(new URL('../src/cli/mintrail.mjs', import.meta.url));

/** Credits in one bank file: all are there at once, and no HTTP competes for the machine. */
export async function benchFile(sandbox: BenchSandbox, count: number): Promise<void> {
  const { dataDir, pool, iban } = sandbox;
  const file = path.join(dataDir, 'statement.xml');
  writeFileSync(file, statementOf(iban, count));
  const since = await now(pool);
  const before = new Map(sandbox.processes().map(({ pid, cpu }) => [pid, cpu]));
  const began = performance.now();
  await importFile(dataDir, file);
  const imported = (performance.now() - began) / 1_000;
  await allProcessed(pool, since, count);
  const used = sandbox.processes().map(({ pid, name, cpu }) => ({ name, cpu: cpu - (before.get(pid) ?? 0) }));
  const figures = await readFigures(pool, since);
  print(`${count} credits in one camt.053 file, one network, 1 s blocks`, [
    ['imported', `${Math.round(count / imported)} credits/s, with the start of the command`],
    ...figureRows(figures, true),
    [
      'processor time',
      used
        .filter(({ cpu }) => cpu >= 0.1)
        .sort((a, b) => b.cpu - a.cpu)
        .map(({ name, cpu }) => `${cpu.toFixed(1)} s ${name.split(' ').slice(0, 4).join(' ')}`)
        .join('\n'),
    ],
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
