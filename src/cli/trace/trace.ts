import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { findOrders } from '../../trace/find-orders.ts';
import { type OrderStory, readOrderStory } from '../../trace/order-story.ts';
import { storyJson } from '../../trace/story-json.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';
import { renderTrace } from './render-trace.ts';

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
