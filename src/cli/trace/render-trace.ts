import { transactionUrl } from '../../platform/chains.ts';
import type { OrderStory, TracedLeg } from '../../trace/order-story.ts';
import { moneyOf, storySteps } from '../../trace/story-steps.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderTable } from '../output.ts';

/** The trace of an order for people: a line for each step, in the order of time. */
export function renderTrace(trace: OrderStory): string {
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
