import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import type { Ledger } from '../ledger.ts';
import { newInstance, type NewHeartbeat, recordHeartbeat } from './heartbeats.ts';

/** Between two heartbeats; readers wait for several before they call a process gone. */
const intervalMs = 2_000;

/** Whose heartbeat is recorded, and with which observations. */
export interface HeartbeatOptions {
  ledger: Ledger;
  log: Log;
  component: NewHeartbeat['component'];
  /** The wire name of the process's network; empty for the work that belongs to no network. */
  chain: NewHeartbeat['chain'];
  /** What the process sees now, as `mintrail status` shows it. `ok` is false while something keeps it from working. */
  facts: () => { ok: boolean } & Record<string, unknown>;
}

/** Shows readers of the ledger that a process runs, and what it sees. */
export function startHeartbeat({ ledger, log, component, chain, facts }: HeartbeatOptions): Loop {
  const instance = newInstance();
  return startLoop({
    name: 'heartbeat',
    intervalMs,
    log,
    turn: () => recordHeartbeat(ledger, { component, chain, instance, facts: facts() }),
  });
}
