import { closeSync, createReadStream, createWriteStream, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { appendFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { messageOf, StopError } from '../../src/platform/errors.ts';
import type { Running } from '../../src/platform/loop.ts';
import { ask, request } from './chain-request.ts';

/** What a killed chain loses is what it did since its last snapshot. A small chain has one each second. */
const shortestPauseMs = 1_000;

/** Of a chain whose snapshots take no longer than a third of that. */
const usualPauseMs = 5_000;

/** Pauses are so much longer than the snapshot before, as long as that is within what is usual, and then at least so much: a chain grows for ever, and each snapshot holds all of it. */
const pauseFactor = { usual: 20, least: 3 };

/** Empty blocks that no snapshot is taken of, because nobody misses them: fewer than lie behind `finalized`, so that a chain that was killed replaces none that is final. */
const fewBlocks = 8;

/** How Anvil ends the state that it writes, in no particular moment and in place, when it is stopped. */
const lastBytes = '"historical_states":null}';

/** The state that Anvil loads when it begins, and writes when it is stopped. */
export function stateFile(folder: string): string {
  return path.join(folder, 'state.json');
}

function snapshotFile(folder: string): string {
  return `${stateFile(folder)}.gz`;
}

/**
 * Puts the newest whole state of a chain where Anvil loads it from: what it wrote when it was stopped, or the last snapshot when it was killed. What Anvil has
 * written is newer wherever it is there, because the first snapshot of a run removes it. Throws `not_possible` when neither is whole, and what the
 * file system throws.
 */
export async function restoreState(folder: string): Promise<void> {
  const state = stateFile(folder);
  const snapshot = snapshotFile(folder);
  const isStored = existsSync(state);
  if (isStored && isWhole(state)) return;
  if (!existsSync(snapshot)) {
    if (isStored) throw damaged(`${state} is incomplete: the chain was killed while it wrote`);
    return;
  }
  try {
    await pipeline(createReadStream(snapshot), createGunzip(), createWriteStream(`${state}.new`));
  } catch (error) {
    await rm(`${state}.new`, { force: true });
    // A disk that is full or cannot be read says nothing against the snapshot.
    const isOfContent = String((error as NodeJS.ErrnoException).code).startsWith('Z_');
    throw isOfContent ? damaged(`${snapshot} cannot be unpacked (${messageOf(error)})`, error) : error;
  }
  await rename(`${state}.new`, state);
}

function damaged(what: string, cause?: unknown): StopError {
  return new StopError({ code: 'not_possible', message: `${what}. Start with empty data: \`npm start -- --fresh\``, cause });
}

/** Where the snapshots of a chain come from and go to. */
export interface SnapshotOptions {
  url: string;
  folder: string;
  logFile: string;
  /** Called with a line for the user when snapshots cannot be written, once for each reason. */
  report: (line: string) => void;
}

/** Snapshots that are taken until they are closed. */
export interface Snapshots extends Running {
  /** Takes one now. Throws what the chain or the file system throws. */
  store: () => Promise<void>;
}

/**
 * Stores the state of the chain at `url` again and again, until it is closed. Snapshots that fail are noted in `logFile`, and the one before stays. Anvil could
 * do this itself, but at a fixed interval, and in the file that it loads, which a kill leaves cut off.
 */
export function keepSnapshots({ url, folder, logFile, report }: SnapshotOptions): Snapshots {
  const closing = new AbortController();
  const { signal } = closing;
  const stored = { block: undefined as number | undefined, tookMs: 0 };
  let last: Promise<void> = Promise.resolve();
  let reported = '';

  const take = async (): Promise<void> => {
    const begun = performance.now();
    await takeSnapshot(url, folder, signal);
    stored.tookMs = performance.now() - begun;
    // What the chain began with, if it was not stopped since: older than the snapshot from now on.
    await rm(stateFile(folder), { force: true });
    reported = '';
  };
  /** One after the other: an older one would replace a newer one. */
  const store = (): Promise<void> => (last = last.catch(() => {}).then(take));

  const turn = async () => {
    const { newest, isEmpty } = await readBlocks(url, stored.block, signal);
    if (isEmpty) return;
    await store();
    stored.block = newest;
  };
  const fail = async (failure: unknown) => {
    if (signal.aborted) return;
    const text = `The chain's state was not stored: ${messageOf(failure)}`;
    await appendFile(logFile, `${text}\n`).catch(() => {});
    // Of a chain that does not answer its supervisor knows.
    const isOfFiles = failure instanceof Error && 'syscall' in failure;
    if (isOfFiles && reported !== text) report(`${text}. What it does from now on is lost if it is killed. Folder: ${folder}`);
    if (isOfFiles) reported = text;
  };
  const run = async () => {
    while (!signal.aborted) {
      try {
        await turn();
      } catch (error) {
        await fail(error);
      }
      const least = Math.max(Math.min(usualPauseMs, pauseFactor.usual * stored.tookMs), pauseFactor.least * stored.tookMs);
      await delay(Math.max(least, shortestPauseMs), undefined, { signal }).catch(() => {});
    }
  };
  const ended = run();
  return {
    store,
    async close() {
      closing.abort();
      await Promise.allSettled([ended, last]);
    },
  };
}

async function takeSnapshot(url: string, folder: string, closing: AbortSignal): Promise<void> {
  const { body } = await ask(url, closing, request('anvil_dumpState', []));
  const draft = `${snapshotFile(folder)}.new`;
  // A name that stands for bytes that the disk does not have yet would be half a file after a loss of power.
  await pipeline(decodeResult(body as AsyncIterable<Uint8Array>), createWriteStream(draft, { flush: true }));
  await rename(draft, snapshotFile(folder));
}

/**
 * How far the chain is, and whether the blocks after `block` are empty; more of them than a few are taken not to be. A fork would ask its live network for
 * blocks that are not its own: without `block` none is asked for.
 */
async function readBlocks(url: string, block: number | undefined, closing: AbortSignal): Promise<{ newest: number; isEmpty: boolean }> {
  const next = Array.from({ length: fewBlocks }, (_, index) => (block ?? 0) + 1 + index);
  const counting = next.map((number) => request('eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`]));
  const response = await ask(url, closing, [request('eth_blockNumber', []), ...(block === undefined ? [] : counting)]);
  const [newest = 0, ...counts] = ((await response.json()) as { result: string | null }[]).map(({ result }) => Number(result ?? 0));
  return { newest, isEmpty: block !== undefined && newest <= block + fewBlocks && counts.every((count) => count === 0) };
}

/** The bytes of a JSON-RPC result in hexadecimal digits, which may be many megabytes. Throws when there is none, or its end is missing. */
async function* decodeResult(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let text = '';
  let isInside = false;
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString('latin1');
    const begin: number = isInside ? 0 : text.indexOf('"0x') + 3;
    if (!isInside && begin < 3) {
      // What comes before it is shorter, and an error says no more that helps.
      if (text.length < 1_000) continue;
      break;
    }
    isInside = true;
    const end = text.indexOf('"', begin);
    const digits = text.slice(begin, end < 0 ? undefined : end);
    const whole = digits.length - (digits.length % 2);
    yield Buffer.from(digits.slice(0, whole), 'hex');
    if (end >= 0) return;
    text = digits.slice(whole);
  }
  throw new Error(`the chain answered without its state: ${text.slice(0, 200)}`);
}

function isWhole(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(lastBytes.length);
    readSync(descriptor, last, 0, last.length, Math.max(0, size - last.length));
    return last.toString() === lastBytes;
  } finally {
    closeSync(descriptor);
  }
}
