import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { entryXml, payerIban, statementXml } from '../test/bank/iso20022/camt/statement-xml.ts';
import { shareOfBlockGas } from './block-gas.ts';
import { figureRows } from './credits.ts';
import type { Results } from './figures.ts';
import { allProcessed, now, type OrderFigures, readFigures } from './orders.ts';
import { countProcessorTime, millisecondsPerItem, processorTimeRows } from './processor-time.ts';
import { print } from './report.ts';
import type { BenchSandbox } from './sandbox.ts';

const program = fileURLToPath(new URL('../src/cli/mintrail.mjs', import.meta.url));

/** The file with which the large one is compared. */
const smallCount = 5_000;

/** Credits of the large file, unless the command line says otherwise. */
export const largeCount = 100_000;

/** Measures credits in bank files, small ones and a large one: all arrive at once, and no HTTP uses the machine. */
export async function benchFile(sandbox: BenchSandbox, results: Results, { credits }: { credits: number }): Promise<void> {
  // The first one finds cold caches and new tables.
  await importCredits(sandbox, { day: '2026-11-19', opening: 0, count: smallCount });
  const small = await importCredits(sandbox, { day: '2026-11-20', opening: smallCount, count: smallCount });
  results.record('fileSmall', small.figures.rate, `in ${small.figures.blocks} blocks`);
  results.record('fileSmallPostgres', small.postgres);
  const large = await importCredits(sandbox, { day: '2026-11-21', opening: 2 * smallCount, count: credits });
  const { rate, firstTenth, lastTenth } = large.figures;
  const note = `${credits.toLocaleString('en')} credits`;
  results.record('file', rate, note);
  results.record('fileLastTenth', (100 * lastTenth) / firstTenth, `${Math.round(firstTenth)} and ${Math.round(lastTenth)} /s`);
  results.record('fileGas', large.gasShare);
  results.record('filePostgres', large.postgres, note);
  results.record('fileFlat', large.postgres / small.postgres, note);
}

/** A statement of credits of one euro each. Its balances follow from the statement before: the book is compared with them. */
interface Statement {
  day: string;
  /** In euros. */
  opening: number;
  count: number;
}

/** Imports a file and waits until its credits are processed; `postgres` is milliseconds for each, `gasShare` is in percent. */
async function importCredits(
  sandbox: BenchSandbox,
  statement: Statement,
): Promise<{ figures: OrderFigures; postgres: number; gasShare: number }> {
  const { count } = statement;
  const { dataDir, pool, iban, rpcUrl } = sandbox;
  const file = path.join(dataDir, 'statement.xml');
  writeStatement(file, iban, statement);
  const since = await now(pool);
  const used = countProcessorTime(sandbox);
  const maintained = await countMaintenance(pool);
  const touched = await countPages(pool);
  const startedAt = performance.now();
  await importFile(dataDir, file);
  const imported = (performance.now() - startedAt) / 1_000;
  await allProcessed(pool, { since, count });
  const time = used();
  const { runs, seconds } = await maintained();
  const { pages, walBytes } = await touched();
  rmSync(file);
  const figures = await readFigures(pool, since);
  const gasShare = await shareOfBlockGas(rpcUrl, figures.firstBlock, figures.lastBlock);
  print(`${count.toLocaleString('en')} credits in one camt.053 file, one network, 1 s blocks`, [
    ['imported', `${Math.round(count / imported)} credits/s, including the start of the command`],
    ...figureRows(figures),
    ['first and last tenth', `${Math.round(figures.firstTenth)} and ${Math.round(figures.lastTenth)} credits/s`],
    [
      'block gas limit used meanwhile',
      Number.isNaN(gasShare) ? 'no whole block between the first and the last' : `${gasShare.toFixed(0)} %`,
    ],
    ...processorTimeRows(time, count),
    ['pages and log of the database', `${(pages / count).toFixed(0)} pages and ${(walBytes / count / 1_000).toFixed(1)} kB each`],
    ['vacuum and analyze of the database by itself', `${runs} times, ${seconds.toFixed(1)} s in all`],
  ]);
  return { figures, postgres: millisecondsPerItem(time, count, 'PostgreSQL'), gasShare };
}

/** Counts how often, and for how many seconds, the database vacuums and analyses tables by itself from now on; it reports a table when it is done with it. */
async function countMaintenance(pool: Pool): Promise<() => Promise<{ runs: number; seconds: number }>> {
  const read = async () => {
    const { rows } = await pool.query<{ runs: number; seconds: number }>(
      `select sum(autovacuum_count + autoanalyze_count)::int as runs, (sum(total_autovacuum_time + total_autoanalyze_time) / 1000)::float8 as seconds
       from pg_stat_user_tables`,
    );
    return rows[0] ?? { runs: 0, seconds: 0 };
  };
  const before = await read();
  return async () => {
    const after = await read();
    return { runs: after.runs - before.runs, seconds: after.seconds - before.seconds };
  };
}

/** Counts the pages that the server visits from now on, and the bytes of its log. Neither depends on the machine. */
async function countPages(pool: Pool): Promise<() => Promise<{ pages: number; walBytes: number }>> {
  const read = async () => {
    const { rows } = await pool.query<{ pages: number; walBytes: number }>(
      `select sum(blks_hit + blks_read)::float8 as pages, (select wal_bytes::float8 from pg_stat_wal) as "walBytes" from pg_stat_database`,
    );
    return rows[0] ?? { pages: 0, walBytes: 0 };
  };
  const before = await read();
  return async () => {
    const after = await read();
    return { pages: after.pages - before.pages, walBytes: after.walBytes - before.walBytes };
  };
}

/** Entries are written one by one: a file of a million is longer than a string can be. */
function writeStatement(file: string, iban: string, { day, opening, count }: Statement): void {
  const id = `bench-${Date.now()}`;
  const placeholder = '<Ntry/>';
  const [head = '', tail = ''] = statementXml({
    id,
    day,
    opening: `${opening}.00`,
    closing: `${opening + count}.00`,
    summary: placeholder,
  }).split(`<TxsSummry>${placeholder}</TxsSummry>`);
  const output = openSync(file, 'w');
  writeSync(output, head);
  for (let index = 0; index < count; index += 1) {
    const transactions = [{ amount: '1.00', creditorIban: iban, payer: { name: 'Jón Jónsson', iban: payerIban }, ustrd: ['bench'] }];
    writeSync(output, `${entryXml({ amount: '1.00', bookedOn: day, reference: `${id}-${index}`, transactions }, '08')}\n`);
  }
  writeSync(output, tail);
  closeSync(output);
}

async function importFile(dataDir: string, file: string): Promise<void> {
  const child = spawn(process.execPath, [program, 'bank', 'import', file], {
    env: { PATH: process.env['PATH'], MINTRAIL_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`mintrail bank import ended with ${String(code)}`);
}
