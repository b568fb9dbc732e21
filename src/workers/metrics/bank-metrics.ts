import type { Registry } from 'prom-client';
import { countRecentBankFiles } from '../../ledger/bank/bank-files.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';

/** Between two readings: banks deliver a few files a day. */
const intervalMs = 15_000;

/** Serves how many files of the bank were imported of late. It is read from the ledger, because a command or the console imports some of them. */
export function startBankMetrics({ ledger, log, registry }: { ledger: Ledger; log: Log; registry: Registry }): Loop {
  const imported = registeredGauge(registry, 'mintrail_bank_files_imported_last_day');
  const turn = async () => imported.set(await countRecentBankFiles(ledger));
  return startLoop({ name: 'bank metrics', intervalMs, log, turn });
}
