import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChainLook, lookAtChain } from './chain-look.ts';
import type { Results } from './figures.ts';
import { lineChart } from './line-chart.ts';
import { type OrdinaryUse, pauseMs, rhythm, startUse } from './ordinary-use.ts';
import { percentile } from './percentiles.ts';
import { type ProcessKind, proportionalMegabytes } from './processes.ts';
import type { BenchSandbox } from './sandbox.ts';

const lookMs = 60_000;

/** Rows of the table: a look in so many. */
const rowEvery = 15;

/** The kinds of processes of a sandbox besides its chains. */
const otherKinds = ['PostgreSQL', 'API', 'chain worker', 'common worker', 'indexer', 'sandbox'] as const satisfies ProcessKind[];

/** What a sandbox takes after so many minutes. */
interface Look {
  minute: number;
  chains: Record<string, ChainLook>;
  /** Megabytes. */
  memory: Partial<Record<ProcessKind, number>>;
  /** Orders processed since the beginning, those that failed, and the median time of an order since the last look in seconds; NaN where none ended. */
  processed: number;
  failed: number;
  order: number;
}

/**
 * Uses a sandbox for hours as its users do, and follows what it takes. Writes `bench/use.md` after each look, so that a run which is stopped has its chart.
 */
export async function benchUse(sandbox: BenchSandbox, _: Results, { hours }: { hours: number }): Promise<void> {
  const use = startUse(sandbox);
  const beganAt = Date.now();
  const looks: Look[] = [];
  try {
    for (let minute = 0; minute <= hours * 60; minute += 1) {
      await delay(Math.max(0, beganAt + minute * lookMs - Date.now()));
      await look(sandbox, use, minute).then(
        (taken) => looks.push(taken),
        (error: unknown) => console.error(`minute ${minute} could not be looked at:`, error),
      );
      if (looks.length > 0) writeFileSync(path.join(import.meta.dirname, 'use.md'), render(looks, use));
    }
  } finally {
    await use.stop();
  }
}

async function look({ dataDir, file, processes }: BenchSandbox, { soFar }: OrdinaryUse, minute: number): Promise<Look> {
  const chains: Look['chains'] = {};
  for (const [chain, { rpcUrl }] of Object.entries(file.chains)) chains[chain] = await lookAtChain(dataDir, chain, rpcUrl);
  const memory: Look['memory'] = {};
  for (const { pid, kind } of processes()) memory[kind] = (memory[kind] ?? 0) + proportionalMegabytes(pid);
  const order = percentile(soFar.latencies.splice(0), 0.5) / 1_000;
  const failed = sum([...soFar.failures.values()]);
  return { minute, chains, memory, processed: soFar.processed, failed, order };
}

function render(looks: readonly Look[], { soFar }: OrdinaryUse): string {
  const last = looks.at(-1) as Look;
  const names = Object.keys(last.chains);
  const ofChains = (key: keyof ChainLook) => names.map((name) => looks.map(({ chains }) => chains[name]?.[key] ?? 0));
  // One worker may do everything.
  const kinds = otherKinds.filter((kind) => looks.some(({ memory }) => memory[kind]));
  const ofKinds = kinds.map((kind) => looks.map(({ memory }) => memory[kind] ?? 0));
  const [memory, disk, block] = [ofChains('memory'), ofChains('disk'), ofChains('block')];
  const x = { title: 'minutes', values: `${looks[0]?.minute ?? 0} --> ${Math.max(1, last.minute)}` };
  const rows = looks.filter((row) => row.minute % rowEvery === 0 || row === last);
  return [
    '# A sandbox in use\n',
    `Written by \`npm run bench -- use --hours N\`: a sandbox with ${names.length} networks is used for ${rhythm.use} minutes and left alone for ${rhythm.rest}, in turns: an order ${pauseMs / 1_000} s after the one before has ended.`,
    'On each network after the other somebody is paid, looks at balance and orders, pays to a bank account, and sends money to the next network.',
    'It is looked at every minute. Where the line of a chain falls it was loaded anew without its old empty blocks, which happens while it is left alone.\n',
    `In ${last.minute} minutes ${last.processed} orders were processed and ${last.failed} requests failed: a chain took at most ${most(memory).toFixed(0)} MB of memory and ${most(disk).toFixed(1)} MB of disk,`,
    `a block ${percentile(block.flat(), 0.5).toFixed(1)} ms in the median and ${most(block).toFixed(0)} ms at most, and all other processes together at most ${most([sumOf(ofKinds)]).toFixed(0)} MB.\n`,
    ...[...soFar.failures].map(([what, times]) => `- failed ${times} times: ${what}\n`),
    `A line for each chain: ${names.join(', ')}.\n`,
    lineChart({ title: 'Memory of the chains', x, unit: 'MB', least: 150, lines: memory }),
    lineChart({ title: 'Their folders on the disk', x, unit: 'MB', least: 10, lines: disk }),
    lineChart({ title: 'Time of a block', x, unit: 'ms', least: 50, lines: block }),
    `A line for each: ${kinds.join(', ')}.\n`,
    lineChart({ title: 'Memory of the other processes', x, unit: 'MB', least: 500, lines: ofKinds }),
    lineChart({ title: 'Orders processed', x, unit: 'orders', least: 10, lines: [looks.map(({ processed }) => processed)] }),
    `An order: the median time until it is processed, of those that ended in the minute before. The other columns are megabytes: of a chain in memory and on the disk.\n`,
    tableRow(['minute', 'orders', 'failed', 'an order, s', ...names, ...kinds]),
    tableRow(['minute', 'orders', 'failed', 'order', ...names, ...kinds].map(() => '---')),
    ...rows.map((row) =>
      tableRow([
        row.minute,
        row.processed,
        row.failed,
        Number.isNaN(row.order) ? '–' : row.order.toFixed(2),
        ...names.map((name) => `${(row.chains[name]?.memory ?? 0).toFixed(0)}, ${(row.chains[name]?.disk ?? 0).toFixed(1)}`),
        ...kinds.map((kind) => (row.memory[kind] ?? 0).toFixed(0)),
      ]),
    ),
    '',
  ].join('\n');
}

const tableRow = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const most = (lines: readonly number[][]): number => Math.max(...lines.flat());

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The sum of several lines, point by point. */
const sumOf = (lines: readonly number[][]): number[] => (lines[0] ?? []).map((_, index) => sum(lines.map((line) => line[index] ?? 0)));
