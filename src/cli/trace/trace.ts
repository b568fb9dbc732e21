import type { Ledger } from '../../ledger/ledger.ts';
import { transactionUrl } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { findOrders } from '../../trace/find-orders.ts';
import { type OrderStory, readOrderStory, type TracedLeg } from '../../trace/order-story.ts';
import { storyJson } from '../../trace/story-json.ts';
import { moneyOf, storySteps } from '../../trace/story-steps.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail trace`. Throws `not_found`. */
export async function trace(what: string, json: boolean): Promise<void> {
  const { traces, isCut } = await withLedger((ledger) => readTraces(ledger, what));
  if (traces.length === 0)
    throw new StopError({
      code: 'not_found',
      message: `No order belongs to ${what}: give the id of an order, leg, payment or profile, the hash of a transaction, the bank's reference of a credit that became an order, an EndToEndId, an IBAN, an address, an amount, a whole memo or a profile's name. \`mintrail bank unmatched\` lists credits that became no order`,
    });
  if (json) return print(renderJson(traces.map(storyJson)));
  print(traces.map(renderTrace).join('\n\n\n'));
  if (isCut)
    print('\nMore orders belong to it, which are not shown: trace them by their own ids, or narrow them down with `mintrail orders`.');
}

/** The orders that `what` means, each with those that it came from, that carry it on, and that give its tokens back. The oldest first. */
export async function readTraces(ledger: Ledger, what: string): Promise<{ traces: OrderStory[]; isCut: boolean }> {
  const { orders, isCut } = await findOrders(ledger, what);
  const traces = new Map<string, OrderStory>();
  const open = [...orders];
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    const trace = traces.has(id) ? undefined : await readOrderStory(ledger, id);
    if (trace === undefined) continue;
    traces.set(id, trace);
    const { sourceOrder, dependentOrders, givesBack, givenBackBy } = trace.order;
    open.push(...dependentOrders, ...[sourceOrder, givesBack, givenBackBy].filter((related) => related !== null));
  }
  return {
    traces: [...traces.values()].toSorted((first, second) => first.order.placedAt.getTime() - second.order.placedAt.getTime()),
    isCut,
  };
}

/** The trace of an order for people: a line for each step, in the order of time. */
function renderTrace(trace: OrderStory): string {
  const { order, legs } = trace;
  const rows = storySteps(trace).map(([at, record, text, reference]) => [at === null ? '' : formatTime(at), record, text, reference]);
  const reason = order.rejectedReason === null ? '' : ` (${order.rejectedReason})`;
  return [
    `Order ${order.id}: ${order.kind} of ${moneyOf(order)}, ${order.address} on ${order.chain}, ${order.state}${reason}`,
    ...relatedOrders(order),
    renderTable(['time', 'record', 'step', 'reference'], rows),
    ...explorerLinks(legs),
  ].join('\n');
}

function relatedOrders({ sourceOrder, dependentOrders, givesBack, givenBackBy }: OrderStory['order']): string[] {
  return [
    ...(sourceOrder === null ? [] : [`It carries on the order ${sourceOrder}.`]),
    ...dependentOrders.map((id) => `The order ${id} carries it on.`),
    ...(givesBack === null ? [] : [`The payout of the order ${givesBack} came back: this order gives its tokens back.`]),
    ...(givenBackBy === null ? [] : [`Its payout came back: the order ${givenBackBy} gives the tokens back.`]),
  ];
}

/** Explorer pages of the transactions. A local chain has a genesis setting, and no explorer knows it. */
function explorerLinks(legs: readonly TracedLeg[]): string[] {
  const { networks } = cliSettings();
  return legs.flatMap(({ chain, transactions }) =>
    transactions.flatMap(({ hash }) =>
      chain === null || hash === null || networks[chain]?.genesis.name ? [] : [transactionUrl(chain, hash)],
    ),
  );
}
