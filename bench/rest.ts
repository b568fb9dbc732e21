import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadInstance } from '../src/cli/sandbox/instance.ts';
import { prepareNetwork, startChain } from '../src/cli/sandbox/networks.ts';
import { restingBlockSeconds } from '../src/platform/process/block-pace.ts';
import { notedProcess } from '../src/platform/process/process-identity.ts';
import type { Results } from './figures.ts';
import { percentile } from './percentiles.ts';
import { proportionalMegabytes } from './processes.ts';
import { print } from './report.ts';

/** The chain with most contracts. */
const chain = 'arbitrumsepolia';

/** The hours after which it is looked at. */
const hours = { step: 4, last: 72 };

/** Blocks that it makes in an hour at rest. */
const blocksPerHour = 3_600 / restingBlockSeconds;

/** Longer than it takes until it is looked whether the chain is stored or loaded anew, and until that is done. */
const quietMs = 4_000;

/** Of a chain after so many hours at rest: megabytes in memory and on the disk, and the milliseconds of a block. */
interface Look {
  hour: number;
  memory: number;
  disk: number;
  block: number;
}

/**
 * Makes the blocks that a chain of the sandbox makes in three days at rest, as fast as Anvil makes them, and follows what they take. Records the most of memory and disk, and writes
 * `bench/rest.md`.
 */
export async function benchRest(results: Results): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-rest-'));
  const folder = path.join(dataDir, 'chains', chain);
  const instance = loadInstance(dataDir);
  const anvil = await startChain(chain, { dataDir, instance, blockTimeSeconds: 1, confirmations: 0, terminal: console }, undefined);
  const looks: Look[] = [];
  try {
    await prepareNetwork(chain, anvil.url, instance);
    for (let hour = 0; hour <= hours.last; hour += hours.step) {
      if (hour > 0) await call(anvil.url, 'anvil_mine', [`0x${(hours.step * blocksPerHour).toString(16)}`, '0x0']);
      await delay(quietMs);
      const begun = performance.now();
      await call(anvil.url, 'evm_mine', []);
      const block = performance.now() - begun;
      const memory = proportionalMegabytes(notedProcess(path.join(folder, 'anvil.pid'))?.pid ?? 0);
      looks.push({ hour, memory, disk: megabytesOf(folder), block });
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

async function call(url: string, method: string, params: unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const ask = () => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  // It does not listen while it is loaded anew.
  const answer = await ask().catch(() => delay(quietMs).then(ask));
  const { error } = (await answer.json()) as { error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
}

/** What Anvil itself writes is below the folder, too. A file that is replaced meanwhile counts nothing. */
function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => statSync(path.join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) / 1_048_576;
}

const mostOf = (looks: readonly Look[], value: (look: Look) => number): number => Math.max(...looks.map((look) => value(look)));

function render(looks: readonly Look[]): string {
  const chart = (title: string, unit: string, least: number, value: (look: Look) => number) =>
    [
      '```mermaid',
      'xychart-beta',
      `  title "${title}"`,
      `  x-axis "hours at rest" [${looks.map(({ hour }) => hour).join(', ')}]`,
      `  y-axis "${unit}" 0 --> ${Math.max(least, Math.ceil(mostOf(looks, value)))}`,
      `  line [${looks.map((look) => value(look).toFixed(1)).join(', ')}]`,
      '```',
      '',
    ].join('\n');
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
