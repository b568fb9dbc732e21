import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { notedProcess } from '../sandbox/process-identity.ts';
import { proportionalMegabytes } from './processes.ts';

/** Longer than it takes until it is looked whether a chain is stored or loaded anew, and until that is done. */
export const quietMs = 4_000;

/** What a chain of a sandbox takes: megabytes in memory and on the disk, and the milliseconds of a block. */
export interface ChainLook {
  memory: number;
  disk: number;
  block: number;
}

/** Has a chain of the sandbox on a data folder make a block, and reads what it takes. Throws when its node does not answer. */
export async function lookAtChain(dataDir: string, chain: string, rpcUrl: string): Promise<ChainLook> {
  const folder = path.join(dataDir, 'chains', chain);
  const block = await whenLoaded(async () => {
    const begun = performance.now();
    await callNode(rpcUrl, 'evm_mine', []);
    return performance.now() - begun;
  });
  const memory = proportionalMegabytes(notedProcess(path.join(folder, 'anvil.pid'))?.pid ?? 0);
  return { memory, disk: megabytesOf(folder), block };
}

/** Calls again a node that does not listen because it is loaded anew. */
export function whenLoaded<T>(call: () => Promise<T>): Promise<T> {
  return call().catch(() => delay(quietMs).then(call));
}

/** Calls a method of a node. Throws when it does not answer, or answers with an error. */
export async function callNode(url: string, method: string, params: unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { error } = (await answer.json()) as { error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
}

/** What Anvil itself writes is below the folder, too. A file that is replaced meanwhile counts nothing. */
function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => statSync(path.join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) / 1_048_576;
}
