import { asChain, transactionUrl } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { isUuid } from '../../platform/uuid.ts';
import type { JudgedProblem } from '../../problems/problem.ts';
import { readProblems } from '../../problems/read-status.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { problemsOfOrder } from '../../trace/order-problems.ts';
import { type OrderStory, readOrderStory } from '../../trace/order-story.ts';
import { storyJson } from '../../trace/story-json.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { renderProblems } from '../status/problems.ts';
import { withLedger } from '../with-ledger.ts';
import { describeWait } from './waits.ts';

/** The story of an order, and what is wrong where its open legs wait. */
type OrderView = OrderStory & { problems: JudgedProblem[] };

/** `mintrail orders show`. Throws `not_found`. */
export async function showOrder(id: string, json: boolean): Promise<void> {
  const now = new Date();
  const view = isUuid(id) ? await withLedger((ledger) => readView(ledger, id, now)) : undefined;
  if (!view) throw new StopError({ code: 'not_found', message: `There is no order ${id}; \`mintrail orders\` lists them` });
  if (!json) return print(render(view, now));
  const { order, legs, events, waits } = storyJson(view);
  print(renderJson({ order, legs, events, waits, problems: view.problems }));
}

async function readView(ledger: Ledger, id: string, now: Date): Promise<OrderView | undefined> {
  const story = await readOrderStory(ledger, id);
  if (!story) return undefined;
  const { problems } = await readProblems(ledger, cliSettings(), now);
  return { ...story, problems: problemsOfOrder(problems, { order: id, waits: story.waits }) };
}

function render({ order, legs, events, waits, problems }: OrderView, now: Date): string {
  const fields = Object.entries(order)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [name, cell(name, value)]);
  const waiting = waits.length === 0 ? [] : ['', ...waits.map((wait) => describeWait(wait, now))];
  const wrong = problems.length === 0 ? [] : [renderProblems(problems, now)];
  const parts = [
    renderTable(['order', ''], fields),
    '',
    legTable(legs),
    ...explorerLinks(legs),
    ...waiting,
    ...wrong,
    '',
    historyTable(events),
  ];
  return parts.join('\n');
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
    return networks[network]?.genesis.name ? [] : [transactionUrl(network, txHash)];
  });
}

function historyTable(events: OrderView['events']): string {
  const rows = events.map(({ type, at, leg, chain, txHash, endToEndId, replaces, bankStatus, reason, order }) => [
    type,
    formatTime(at),
    leg ?? '',
    chain ?? '',
    txHash ?? endToEndId ?? '',
    remarkOf(
      { replaces, bankStatus, reason },
      order === null ? undefined : `${type === 'order.placed' ? 'gives back' : 'given back by'} ${order}`,
    ),
  ]);
  return renderTable(['event', 'time', 'leg', 'chain', 'transaction or payment', 'remark'], rows);
}

function remarkOf(
  { reason, bankStatus, replaces }: Pick<OrderView['events'][number], 'reason' | 'bankStatus' | 'replaces'>,
  link?: string,
): string {
  return [reason ?? bankStatus ?? (replaces === null ? undefined : `replaces ${replaces}`), link].filter(Boolean).join('; ');
}
