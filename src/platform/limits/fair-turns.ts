import { RateLimited } from './rate-limiter.ts';

/** How much work runs and waits at most. */
export interface TurnLimits {
  /** Work that runs at the same time, of all owners together; unlimited by default. */
  running?: number;
  /** Work of one owner that runs at the same time. */
  runningPerOwner: number;
  /** Work of one owner that waits. More is refused. */
  waitingPerOwner: number;
}

/**
 * Runs work when it is its owner's turn. Throws `rate_limited` when too much of the owner waits, and the signal's reason when it is aborted
 * before its turn.
 */
export type TakeTurn = <Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** Milliseconds after which an owner may try again when too much of their work waits. */
const retryMs = 1_000;

/** The work of one owner. Those that wait are called in the order of arrival. */
interface Owner {
  running: number;
  waiting: Set<() => void>;
}

/** Creates turns that go round between owners: work waits at most for one turn of each other owner, however much of theirs waits. */
export function createFairTurns({ running: limit = Infinity, runningPerOwner, waitingPerOwner }: TurnLimits): TakeTurn {
  /** Owners with work. The last one is the one whose turn began or ended last. */
  const owners = new Map<string, Owner>();
  let running = 0;

  const hasRoom = (owner: Owner) => running < limit && owner.running < runningPerOwner;

  function begin(name: string, owner: Owner): void {
    running += 1;
    owner.running += 1;
    moveToEnd(name, owner);
  }

  function end(name: string, owner: Owner): void {
    running -= 1;
    owner.running -= 1;
    moveToEnd(name, owner);
    removeIdle(name, owner);
    beginNext();
  }

  function moveToEnd(name: string, owner: Owner): void {
    owners.delete(name);
    owners.set(name, owner);
  }

  function beginNext(): void {
    for (const [name, owner] of owners) {
      const [next] = owner.waiting;
      if (next === undefined || !hasRoom(owner)) continue;
      owner.waiting.delete(next);
      begin(name, owner);
      return next();
    }
  }

  function removeIdle(name: string, owner: Owner): void {
    if (owner.running === 0 && owner.waiting.size === 0) owners.delete(name);
  }

  async function waitForTurn(name: string, owner: Owner, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      if (!owner.waiting.delete(resolve)) return;
      removeIdle(name, owner);
      reject(signal?.reason);
    };
    owner.waiting.add(resolve);
    signal?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  return async (name, work, signal) => {
    signal?.throwIfAborted();
    const owner = owners.get(name) ?? { running: 0, waiting: new Set() };
    if (hasRoom(owner)) begin(name, owner);
    else {
      if (owner.waiting.size >= waitingPerOwner) throw new RateLimited('Too many requests are waiting: try again in a second', retryMs);
      owners.set(name, owner);
      await waitForTurn(name, owner, signal);
    }
    try {
      return await work();
    } finally {
      end(name, owner);
    }
  };
}
