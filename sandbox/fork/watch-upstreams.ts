import { randomUUID } from 'node:crypto';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { type Chain, chainsOf } from '../../src/platform/chains.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Running, startLoop } from '../../src/platform/loop.ts';
import type { ForkSources } from './start-sources.ts';

/** Between two heartbeats. */
const intervalMs = 2_000;

/** An upstream that does not answer is asked so often whether it is well again. One that answers is never asked for that. */
const probeIntervalMs = 5_000;

/** What the watch needs; `warn` is called when an upstream stops answering. */
export interface WatchOptions {
  databaseUrl: string;
  upstreams: ForkSources['upstreams'];
  warn: (line: string) => void;
}

/** Reports in the heartbeats, for `mintrail status`, which upstreams do not answer. */
export function watchUpstreams({ databaseUrl, upstreams, warn }: WatchOptions): Running {
  const ledger = createLedger(createPool({ connectionString: databaseUrl, max: 1, name: 'mintrail upstreams' }), wakesNobody);
  const instance = randomUUID();
  const probedAt = new Map<Chain, number>();
  const warnedOf = new Map<Chain, number>();
  const turn = async () => {
    for (const chain of chainsOf(upstreams)) {
      const upstream = upstreams[chain];
      const trouble = upstream?.trouble();
      const alarms = trouble ? [{ kind: 'upstream_unavailable', subject: 'upstream', text: trouble.text, since: trouble.since }] : [];
      await recordHeartbeat(ledger, { component: 'upstream', chain, instance, facts: { ok: !trouble, alarms } });
      if (!trouble) continue;
      if (warnedOf.get(chain) !== trouble.since.getTime()) warn(trouble.text);
      warnedOf.set(chain, trouble.since.getTime());
      if (Date.now() - (probedAt.get(chain) ?? 0) < probeIntervalMs) continue;
      probedAt.set(chain, Date.now());
      upstream?.request('eth_chainId', []).catch(() => {});
    }
  };
  const loop = startLoop({ name: 'upstreams', intervalMs, log: createLog('silent', {}), turn });
  return {
    async close() {
      await loop.close();
      await ledger.destroy();
    },
  };
}
