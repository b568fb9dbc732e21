import type { Ledger } from '../ledger/ledger.ts';
import { collectOrders } from '../ledger/orders/traces/affected-orders.ts';
import { mostTracedOrders, type OrderTraces, tracesOfOrders } from '../ledger/orders/traces/order-traces.ts';
import type { Log } from '../platform/log.ts';
import { type BankFileReport, importBankFile } from './import-file.ts';
import type { StatementFile } from './file-report.ts';

/**
 * Imports a file from the bank as `importBankFile` does, and logs what came of it: its counts with the orders that it placed or ended, further lines
 * where these are more than a line names, and a line for each entry that an operator should look at. Throws what `importBankFile` throws.
 */
export async function importLogged(ledger: Ledger, log: Log, file: StatementFile): Promise<BankFileReport> {
  const { result: report, orders } = await collectOrders(() => importBankFile(ledger, file));
  const { state, message, counts, alerts } = report;
  const sums = 'sums' in report ? { sums: report.sums, settled: report.settled, skipped: report.skipped } : {};
  // An import that changes nothing is rolled back, and what it has placed until then with it.
  const affected = state === 'applied' ? orders : [];
  log.info({ file: file.name, state, message, counts, ...sums, ...(await tracesFrom(ledger, affected, 0)) }, 'bank file imported');
  for (let from = mostTracedOrders; from < affected.length; from += mostTracedOrders)
    log.info({ file: file.name, ...(await tracesFrom(ledger, affected, from)) }, 'bank file imported: further orders');
  for (const alert of alerts) log.warn({ file: file.name, ...alert }, 'bank file: an operator should look at this entry');
  return report;
}

/** The file is imported: an outage of the database now costs the correlation ids of a line and nothing else. */
async function tracesFrom(ledger: Ledger, orders: readonly string[], from: number): Promise<OrderTraces> {
  const orderIds = orders.slice(from, from + mostTracedOrders);
  return tracesOfOrders(ledger, orderIds).catch(() => ({ orderIds, correlationIds: [] }));
}
