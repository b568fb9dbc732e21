import { randomUUID } from 'node:crypto';
import type { TablesOwner } from '../../indexed/reader-role.ts';
import { disownIndex, type IndexRun, ownIndex } from '../../ledger/lanes/index-owners.ts';
import type { Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';

/** Whose schema it is, and what happens when another indexer has taken it. */
export interface OwnershipOptions {
  database: TablesOwner;
  schema: string;
  log: Log;
  /** Called when this process has become the owner. */
  onOwned: () => void;
  /** Called when this process was the owner and is not any more. */
  onLost: () => void;
}

/** The right of one process to write a schema of Ponder's, which it keeps as long as it says every two seconds that it lives. */
export interface IndexOwnership extends Running {
  /** The run by which this process is the owner; undefined while it is not. */
  owner(): IndexRun | undefined;
}

/** Tries to become and to stay the owner until it is closed, which lets another own it at once. Each time it becomes the owner is a new run. */
export function startIndexOwnership({ database, schema, log, onOwned, onLost }: OwnershipOptions): IndexOwnership {
  let run = randomUUID();
  let isOwner = false;
  const loop = startLoop({
    name: 'index ownership',
    intervalMs: 2_000,
    log,
    async turn() {
      const wasOwner = isOwner;
      isOwner = await ownIndex(database, { schema, run });
      if (isOwner && !wasOwner) {
        log.info({ schema, run }, 'this process writes the index');
        onOwned();
      }
      if (!isOwner && wasOwner) {
        log.error({ schema, run }, 'another indexer has taken the index over, because this one was silent: it waits now');
        run = randomUUID();
        onLost();
      }
    },
  });
  return {
    owner: () => (isOwner ? { schema, run } : undefined),
    async close() {
      await loop.close();
      if (isOwner) await disownIndex(database, { schema, run }).catch(() => {});
    },
  };
}
