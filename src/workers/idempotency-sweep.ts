import { sweepKeys } from '../ledger/access/idempotency-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { Settings } from '../platform/settings.ts';

/** Between two sweeps: short against the day for which a key is kept. */
const intervalMs = 60_000;

/** Deletes expired idempotency keys. */
export function startIdempotencySweep({
  settings,
  ledger,
  log,
}: {
  settings: Pick<Settings, 'retentionDays'>;
  ledger: Ledger;
  log: Log;
}): Loop {
  return startLoop({
    name: 'idempotency sweep',
    intervalMs,
    log,
    async turn() {
      const swept = await sweepKeys(ledger, settings.retentionDays.idempotency);
      if (swept > 0) log.info({ keys: swept }, 'expired idempotency keys deleted');
    },
  });
}
