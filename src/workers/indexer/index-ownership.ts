import { randomUUID } from 'node:crypto';
import type { TablesOwner } from '../../indexed/reader-role.ts';
import { disownIndex, ownIndex } from '../../ledger/lanes/index-owners.ts';
import type { Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';

/** Whose schema it is, and what happens when another indexer has taken it. */
export interface OwnershipOptions {
  database: TablesOwner;
  schema: string;
  log: Log;
  /** Called when this process was the owner and is not any more. */
  onLost: () => void;
}

/** The right of one process to write a schema of Ponder's, which it keeps as long as it says every two seconds that it lives. */
export interface IndexOwnership extends Running {
  /** Waits until this process is the owner. Resolves with the run by which it is; rejects when it is closed before. */
  owned(): Promise<string>;
  /** Nobody waits any more. */
  giveUp(): void;
}

/** Tries to become and to stay the owner until it is closed, which lets another own it at once. Each time it becomes the owner is a new run. */
export function startIndexOwnership({ database, schema, log, onLost }: OwnershipOptions): IndexOwnership {
  let run = randomUUID();
  let isOwner = false;
  let waiting: { resolve: (run: string) => void; reject: (error: Error) => void }[] = [];
  const loop = startLoop({
    name: 'index ownership',
    intervalMs: 2_000,
    log,
    async turn() {
      const wasOwner = isOwner;
      isOwner = await ownIndex(database, { schema, run });
      if (isOwner && !wasOwner) {
        log.info({ schema, run }, 'this process writes the index');
        for (const { resolve } of waiting) resolve(run);
        waiting = [];
      }
      if (!isOwner && wasOwner) {
        log.error({ schema, run }, 'another indexer has taken the index over, because this one was silent: it waits now');
        run = randomUUID();
        onLost();
      }
    },
  });
  return {
    owned: () => (isOwner ? Promise.resolve(run) : new Promise((resolve, reject) => waiting.push({ resolve, reject }))),
    giveUp() {
      for (const { reject } of waiting) reject(new Error('the indexer is closed'));
      waiting = [];
    },
    async close() {
      await loop.close();
      if (isOwner) await disownIndex(database, { schema, run }).catch(() => {});
    },
  };
}
