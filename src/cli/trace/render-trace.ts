import type { JournalEntry } from '../../ledger/book/journal.ts';
import { transactionUrl } from '../../platform/chains.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import type { OrderStory, TracedCredit, TracedLeg, TracedPayment, TracedTransaction } from '../../trace/order-story.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderTable } from '../output.ts';

/** One step of the way: when, what kind of record shows it, what it says, and the reference by which the other side knows it. */
export type Step = [at: Date | null, record: string, text: string, reference: string];

/** The trace of an order for people: a line for each step, in the order of time. */
export function renderTrace(trace: OrderStory): string {
  const { order, legs } = trace;
  const rows = traceSteps(trace).map(([at, record, text, reference]) => [at === null ? '' : formatTime(at), record, text, reference]);
  const reason = order.rejectedReason === null ? '' : ` (${order.rejectedReason})`;
  return [
    `Order ${order.id}: ${order.kind} of ${moneyOf(order)}, ${order.address} on ${order.chain}, ${order.state}${reason}`,
    ...relatedOrders(order),
    renderTable(['time', 'record', 'step', 'reference'], rows),
    ...explorerLinks(legs),
  ].join('\n');
}

/** The steps of an order in the order of time. */
export function traceSteps({ order, credits, legs, payments, entries }: OrderStory): Step[] {
  const steps: Step[] = [
    ...credits.map(creditStep),
    [order.placedAt, 'order', `${order.kind} of ${moneyOf(order)} is placed`, order.correlationId ?? ''],
    ...legs.flatMap(legSteps),
    ...payments.flatMap(paymentSteps),
    ...entries.map(entryStep),
  ];
  if (order.processedAt !== null) steps.push([order.processedAt, 'order', `is ${order.state}`, '']);
  return steps.toSorted(([first], [second]) => timeOf(first) - timeOf(second));
}

function relatedOrders({ sourceOrder, dependentOrders, givesBack, givenBackBy }: OrderStory['order']): string[] {
  return [
    ...(sourceOrder === null ? [] : [`It carries on the order ${sourceOrder}.`]),
    ...dependentOrders.map((id) => `The order ${id} carries it on.`),
    ...(givesBack === null ? [] : [`The payout of the order ${givesBack} came back: this order gives its tokens back.`]),
    ...(givenBackBy === null ? [] : [`Its payout came back: the order ${givenBackBy} gives the tokens back.`]),
  ];
}

function moneyOf({ amount, currency }: { amount: MinorUnits; currency: string }): string {
  return `${formatAmount(amount)} ${currency.toUpperCase()}`;
}

/** What has no time yet comes last. */
function timeOf(at: Date | null): number {
  return at?.getTime() ?? Number.MAX_SAFE_INTEGER;
}

function creditStep({ reference, receivedAt, bookedOn, source, entryReference, amount, currency }: TracedCredit): Step {
  const entry = entryReference === null || entryReference === reference ? '' : `, in the entry ${entryReference}`;
  const money = amount === null || currency === null ? '' : ` of ${formatAmount(amount)} ${currency.toUpperCase()}`;
  return [receivedAt, 'bank', `credit${money} booked on ${bookedOn ?? 'an unknown day'}, reported by ${source}${entry}`, reference];
}

function legSteps({ id, kind, state, chain, createdAt, doneAt, sequence, reason, transactions, log }: TracedLeg): Step[] {
  const name = chain === null ? kind : `${kind} on ${chain}`;
  const steps: Step[] = [[createdAt, 'leg', `${name} is due${sequence === null ? '' : `, number ${sequence}`}`, id]];
  steps.push(...transactions.flatMap(transactionSteps));
  if (log !== undefined)
    steps.push([
      doneAt,
      'log',
      `${log.refused === null ? 'carried out' : `refused: ${log.refused}`} in block ${log.blockNumber}`,
      log.txHash,
    ]);
  if (doneAt !== null) steps.push([doneAt, 'leg', `${name} is ${state}${reason === null ? '' : `: ${reason}`}`, id]);
  return steps;
}

function transactionSteps({ signer, nonce, state, hash, blockNumber, gasUsed, minedAt, failure, attempts }: TracedTransaction): Step[] {
  const outcome = failure === null || failure === state ? state : `${state} (${failure})`;
  const steps = attempts.map(({ hash: attempt, maxFeePerGas, maxPriorityFeePerGas, createdAt }, index): Step => [
    createdAt,
    'transaction',
    `${index === 0 ? 'sent' : 'replaced'} by ${signer}, nonce ${nonce}, at most ${maxFeePerGas} wei a gas (tip ${maxPriorityFeePerGas})`,
    attempt,
  ]);
  if (hash !== null) steps.push([minedAt, 'transaction', `${outcome} in block ${blockNumber}, ${gasUsed ?? 'unknown'} gas`, hash]);
  return steps;
}

function paymentSteps({
  endToEndId,
  kind,
  state,
  file,
  bankStatus,
  reason,
  createdAt,
  sentAt,
  decidedAt,
  bookedOn,
  debits,
}: TracedPayment): Step[] {
  const steps: Step[] = [[createdAt, 'payment', `${kind} is due`, endToEndId]];
  if (sentAt !== null) steps.push([sentAt, 'payment', `sent${file === null ? '' : ` in ${file}`}`, endToEndId]);
  const status = bankStatus === null ? '' : ` (${bankStatus})`;
  const why = reason === null ? '' : `: ${reason}`;
  // A payment can only come back after the bank has carried it out; the day is that of the credit, in the trace of the order that gives back.
  const decision = state === 'returned' ? `accepted${status}` : `${state}${status}${why}`;
  if (decidedAt !== null) steps.push([decidedAt, 'payment', decision, endToEndId]);
  if (bookedOn !== null) steps.push([decidedAt, 'bank', `debit booked on ${bookedOn}`, debits.join(', ')]);
  if (state === 'returned') steps.push([null, 'payment', `came back${why}`, endToEndId]);
  return steps;
}

function entryStep({ id, kind, at, bookedOn, postings }: JournalEntry): Step {
  const sides = postings.map((posting) => `${posting.account} ${moneyOf(posting)}`);
  return [at, 'book', `${kind}, booked on ${bookedOn}: ${sides.join(', ')}`, id];
}

/** Explorer pages of the transactions. A local chain has a genesis setting, and no explorer knows it. */
function explorerLinks(legs: readonly TracedLeg[]): string[] {
  const { networks } = cliSettings();
  return legs.flatMap(({ chain, transactions }) =>
    transactions.flatMap(({ hash }) => (chain === null || hash === null || networks[chain]?.genesis ? [] : [transactionUrl(chain, hash)])),
  );
}
