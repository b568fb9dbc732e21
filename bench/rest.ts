import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadInstance } from '../sandbox/instance.ts';
import { prepareNetwork, startChain } from '../sandbox/networks.ts';
import { restingBlockSeconds } from '../sandbox/chains/block-pace.ts';
import { callNode, type ChainLook, lookAtChain, quietMs, whenLoaded } from './chain-look.ts';
import type { Results } from './figures.ts';
import { lineChart } from './line-chart.ts';
import { percentile } from './percentiles.ts';
import { print } from './report.ts';

/** The chain with most contracts. */
const chain = 'arbitrumsepolia';

/** The hours after which it is looked at. */
const hours = { step: 4, last: 72 };

/** Blocks that it makes in an hour at rest. */
const blocksPerHour = 3_600 / restingBlockSeconds;

/** Of a chain after so many hours at rest. */
interface Look extends ChainLook {
  hour: number;
}

/**
 * Makes the blocks that a chain of the sandbox makes in three days at rest, as fast as Anvil makes them, and follows what they take. Records the most of memory and disk, and writes
 * `bench/rest.md`.
 */
export async function benchRest(results: Results): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-rest-'));
  const instance = loadInstance(dataDir);
  const anvil = await startChain(chain, { dataDir, instance, blockTimeSeconds: 1, confirmations: 0, terminal: console }, undefined);
  const looks: Look[] = [];
  try {
    await prepareNetwork(chain, anvil.url, instance);
    for (let hour = 0; hour <= hours.last; hour += hours.step) {
      const blocks = `0x${(hours.step * blocksPerHour).toString(16)}`;
      if (hour > 0) await whenLoaded(() => callNode(anvil.url, 'anvil_mine', [blocks, '0x0']));
      await delay(quietMs);
      looks.push({ hour, ...(await lookAtChain(dataDir, chain, anvil.url)) });
    }
  } finally {
    await anvil.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  results.record(
    'restMemory',
    mostOf(looks, ({ memory }) => memory),
  );
  results.record(
    'restDisk',
    mostOf(looks, ({ disk }) => disk),
  );
  const blocks = looks.map(({ block }) => block);
  results.record('restBlock', percentile(blocks, 0.5));
  print(
    'a chain at rest, by hours',
    looks.map(({ hour, memory, disk, block }) => [
      `${hour}`,
      `${memory.toFixed(0)} MB, ${disk.toFixed(1)} MB on the disk, a block in ${block.toFixed(1)} ms`,
    ]),
  );
  writeFileSync(path.join(import.meta.dirname, 'rest.md'), render(looks));
}

const mostOf = (looks: readonly Look[], value: (look: Look) => number): number => Math.max(...looks.map((look) => value(look)));

function render(looks: readonly Look[]): string {
  const x = { title: 'hours at rest', values: `[${looks.map(({ hour }) => hour).join(', ')}]` };
  const chart = (title: string, unit: string, least: number, value: (look: Look) => number) =>
    lineChart({ title, x, unit, least, lines: [looks.map(value)] });
  const blockTimes = looks.map(({ block }) => block);
  const rows = looks.map(
    ({ hour, memory, disk, block }) =>
      `| ${hour} | ${hour * blocksPerHour} | ${memory.toFixed(0)} | ${disk.toFixed(1)} | ${block.toFixed(1)} |`,
  );
  return [
    '# A chain at rest\n',
    `Written by \`npm run bench -- rest\`: a chain of the sandbox makes the blocks of ${hours.last} hours at rest, one in ${restingBlockSeconds} s, as fast as Anvil makes them.`,
    'Where the lines fall it was loaded anew without its old empty blocks.',
    `A block took ${percentile(blockTimes, 0.5).toFixed(1)} ms in the median and ${mostOf(looks, ({ block }) => block).toFixed(1)} ms at most, of ${looks.length} that were timed.\n`,
    chart('Memory of a chain', 'MB', 150, ({ memory }) => memory),
    chart('Its folder on the disk', 'MB', 10, ({ disk }) => disk),
    chart('Time of a block', 'ms', 50, ({ block }) => block),
    '| hours | blocks | memory, MB | disk, MB | a block, ms |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
