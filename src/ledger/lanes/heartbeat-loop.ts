import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import type { Ledger } from '../ledger.ts';
import { newInstance, type NewHeartbeat, recordHeartbeat } from './heartbeats.ts';

/** Between two looks at what the process sees: what an operator must know is recorded then. */
const lookMs = 2_000;

/** Between two heartbeats of a process that sees nothing new; readers wait for several before they call it gone. */
const restMs = 4_000;

/** Whose heartbeat is recorded, and with which observations. */
export interface HeartbeatOptions {
  ledger: Ledger;
  log: Log;
  component: NewHeartbeat['component'];
  /** The wire name of the process's network; empty for the work that belongs to no network. */
  chain: NewHeartbeat['chain'];
  /** What the process sees now, as `mintrail status` shows it. `ok` is false while something keeps it from working. */
  facts: () => SeenFacts;
}

/** What a process sees: these are recorded when they change, all others with the next heartbeat. */
interface SeenFacts extends Record<string, unknown> {
  ok: boolean;
  alarms: readonly unknown[];
  canPay?: boolean;
}

/** Shows readers of the ledger that a process runs, and what it sees. */
export function startHeartbeat({ ledger, log, component, chain, facts }: HeartbeatOptions): Loop {
  const instance = newInstance();
  let recorded = { news: '', at: -Infinity };
  return startLoop({
    name: 'heartbeat',
    intervalMs: lookMs,
    log,
    async turn() {
      const seen = facts();
      const news = JSON.stringify([seen.ok, seen.alarms, seen.canPay]);
      const now = performance.now();
      // A timer may be a little early.
      if (news === recorded.news && now - recorded.at < restMs - lookMs / 2) return;
      await recordHeartbeat(ledger, { component, chain, instance, facts: seen });
      recorded = { news, at: now };
    },
  });
}
