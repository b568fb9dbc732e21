import { randomUUID } from 'node:crypto';
import { type NewHeartbeat, recordHeartbeat } from '../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';

/** Between two heartbeats; readers wait for several before they call a worker gone. */
const intervalMs = 2_000;

/** Whose heartbeat is recorded, and with which observations. */
export interface HeartbeatOptions {
  ledger: Ledger;
  log: Log;
  component: NewHeartbeat['component'];
  /** The wire name of the worker's network; empty for the work that belongs to no network. */
  chain: NewHeartbeat['chain'];
  /** What the worker sees now, as `mintrail status` shows it. `ok` is false while something keeps it from working. */
  facts: () => { ok: boolean } & Record<string, unknown>;
}

/** Shows readers of the ledger that a worker runs, and what it sees. */
export function startHeartbeat({ ledger, log, component, chain, facts }: HeartbeatOptions): Loop {
  const instance = randomUUID();
  return startLoop({
    name: 'heartbeat',
    intervalMs,
    log,
    turn: () => recordHeartbeat(ledger, { component, chain, instance, facts: facts() }),
  });
}
