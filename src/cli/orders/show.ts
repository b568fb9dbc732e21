import { readOrder } from '../../ledger/orders/order-queries.ts';
import { asChain, transactionUrl } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { isUuid } from '../../platform/uuid.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { withLedger } from '../with-ledger.ts';

type OrderView = NonNullable<Awaited<ReturnType<typeof readOrder>>>;

/** `mintrail orders show`. Throws `unknown_order`. */
export async function showOrder(id: string, json: boolean): Promise<void> {
  const view = isUuid(id) ? await withLedger((ledger) => readOrder(ledger, id)) : undefined;
  if (!view) throw new StopError({ code: 'unknown_order', message: `There is no order ${id}; \`mintrail orders\` lists them` });
  console.log(json ? renderJson(view) : render(view));
}

function render({ order, legs, events }: OrderView): string {
  const fields = Object.entries(order)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [name, cell(name, value)]);
  return [renderTable(['order', ''], fields), '', legTable(legs), ...explorerLinks(legs), '', historyTable(events)].join('\n');
}

function cell(name: string, value: unknown): string {
  if (name === 'amount') return formatAmount(value as MinorUnits);
  if (value instanceof Date) return formatTime(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function legTable(legs: OrderView['legs']): string {
  const rows = legs.map((leg) => [
    leg.kind,
    leg.state,
    formatAmount(leg.amount),
    leg.chain ?? '',
    leg.block?.toString() ?? '',
    leg.txHash ?? '',
    leg.reason ?? '',
  ]);
  return renderTable(['leg', 'state', 'amount', 'chain', 'block', 'transaction', 'reason'], rows);
}

/** Explorer addresses of the transactions. A local chain has a genesis setting, and no explorer knows it. */
function explorerLinks(legs: OrderView['legs']): string[] {
  const { networks } = cliSettings();
  return legs.flatMap(({ chain, txHash }) => {
    if (chain === null || txHash === null) return [];
    const network = asChain(chain);
    return networks[network]?.genesis ? [] : [transactionUrl(network, txHash)];
  });
}

function historyTable(events: OrderView['events']): string {
  const rows = events.map(({ type, at, leg, chain, txHash, endToEndId, replaces, bankStatus, reason }) => [
    type,
    formatTime(at),
    leg ?? '',
    chain ?? '',
    txHash ?? endToEndId ?? '',
    reason ?? bankStatus ?? (replaces === null ? '' : `replaces ${replaces}`),
  ]);
  return renderTable(['event', 'time', 'leg', 'chain', 'transaction or payment', 'remark'], rows);
}
