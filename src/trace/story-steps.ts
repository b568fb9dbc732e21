import type { JournalEntry } from '../ledger/book/journal.ts';
import type { OrderHistoryEntry } from '../ledger/orders/order-history.ts';
import { formatAmount, type MinorUnits } from '../platform/money.ts';
import type { OrderStory, TracedCredit, TracedLeg, TracedPayment } from './order-story.ts';

/** One step of the way: when, what kind of record shows it, what it says, and the reference by which the other side knows it. */
export type Step = [at: Date | null, record: string, text: string, reference: string];

/**
 * The steps of an order in the order of time: its history, which the API shows, with what the bank reported, what the index has and what was booked. Steps of
 * the same time keep the order of cause and effect.
 */
export function storySteps(story: OrderStory): Step[] {
  const { credits, legs, payments, entries, events } = story;
  const steps: Step[] = [
    ...credits.map(creditStep),
    ...events.filter((event) => !isEnd(event)).map((event) => eventStep(event, story)),
    ...legs.flatMap(legSteps),
    ...payments.flatMap(paymentSteps),
    ...entries.map(entryStep),
    ...events.filter(isEnd).map((event) => eventStep(event, story)),
  ];
  return steps.toSorted(([first], [second]) => timeOf(first) - timeOf(second));
}

function isEnd({ type }: OrderHistoryEntry): boolean {
  return type === 'order.processed' || type === 'order.rejected';
}

/** An amount with its currency. */
export function moneyOf({ amount, currency }: { amount: MinorUnits; currency: string }): string {
  return `${formatAmount(amount)} ${currency.toUpperCase()}`;
}

/** What has no time yet comes last. */
function timeOf(at: Date | null): number {
  return at?.getTime() ?? Number.MAX_SAFE_INTEGER;
}

function eventStep(event: OrderHistoryEntry, { order, legs, payments }: OrderStory): Step {
  const { type, at, leg, txHash, endToEndId, bankStatus, reason } = event;
  const [record = '', verb = ''] = type.split('.');
  const because = reason === null ? '' : `: ${reason}`;
  const text = {
    order: () => (verb === 'placed' ? `${order.kind} of ${moneyOf(order)} is placed` : `is ${verb}${because}`),
    transaction: () => transactionText(event, legs),
    leg: () => `${leg} on ${event.chain} is ${verb} in block ${event.block}${because}`,
    payment: () => `${verb}${fileOf(event, payments)}${bankStatus === null ? '' : ` (${bankStatus})`}${because}`,
  }[record];
  const reference = txHash ?? endToEndId ?? (type === 'order.placed' ? (order.correlationId ?? '') : '');
  return [at, record, text?.() ?? `${verb}${because}`, reference];
}

/** With signer, nonce and fees where the transaction is one of this order: the payout to another network is that of the order there. */
function transactionText({ type, txHash, block, reason, leg, chain }: OrderHistoryEntry, legs: readonly TracedLeg[]): string {
  const what = type === 'transaction.replaced' ? 'replaced' : 'sent';
  const transaction = legs.flatMap(({ transactions }) => transactions).find(({ attempts }) => attempts.some(({ hash }) => hash === txHash));
  const attempt = transaction?.attempts.find(({ hash }) => hash === txHash);
  if (type === 'transaction.failed') return `failed: ${reason}`;
  if (type === 'transaction.mined') return `mined in block ${block}, ${transaction?.gasUsed ?? 'unknown'} gas`;
  if (transaction === undefined || attempt === undefined) return `${what} for the ${leg} on ${chain}`;
  return `${what} by ${transaction.signer}, nonce ${transaction.nonce}, at most ${attempt.maxFeePerGas} wei a gas (tip ${attempt.maxPriorityFeePerGas})`;
}

function fileOf({ type, endToEndId }: OrderHistoryEntry, payments: readonly TracedPayment[]): string {
  const file = type === 'payment.sent' ? payments.find((payment) => payment.endToEndId === endToEndId)?.file : undefined;
  return file ? ` in ${file}` : '';
}

function creditStep({ reference, receivedAt, bookedOn, source, entryReference, amount, currency }: TracedCredit): Step {
  const entry = entryReference === null || entryReference === reference ? '' : `, in the entry ${entryReference}`;
  const money = amount === null || currency === null ? '' : ` of ${moneyOf({ amount, currency })}`;
  return [receivedAt, 'bank', `credit${money} booked on ${bookedOn ?? 'an unknown day'}, reported by ${source}${entry}`, reference];
}

/** When a leg became due, and what the token contract logged. */
function legSteps({ id, kind, chain, createdAt, doneAt, sequence, log }: TracedLeg): Step[] {
  const name = chain === null ? kind : `${kind} on ${chain}`;
  const due: Step = [createdAt, 'leg', `${name} is due${sequence === null ? '' : `, number ${sequence}`}`, id];
  if (log === undefined) return [due];
  const outcome = log.refused === null ? 'carried out' : `refused: ${log.refused}`;
  return [due, [doneAt, 'log', `${outcome} in block ${log.blockNumber}`, log.txHash]];
}

function paymentSteps({ endToEndId, kind, createdAt, decidedAt, bookedOn, debits }: TracedPayment): Step[] {
  const due: Step = [createdAt, 'payment', `${kind} is due`, endToEndId];
  return bookedOn === null ? [due] : [due, [decidedAt, 'bank', `debit booked on ${bookedOn}`, debits.join(', ')]];
}

function entryStep({ id, kind, at, bookedOn, postings }: JournalEntry): Step {
  const sides = postings.map((posting) => `${posting.account} ${moneyOf(posting)}`);
  return [at, 'book', `${kind}, booked on ${bookedOn}: ${sides.join(', ')}`, id];
}
