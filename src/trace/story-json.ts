import type { JournalEntry } from '../ledger/book/journal.ts';
import type { LegWait } from '../ledger/orders/leg-waits.ts';
import { formatAmount } from '../platform/money.ts';
import type { OrderStory, TracedLeg } from './order-story.ts';

/** A story as JSON: amounts as the API writes them, and the numbers of the chain as decimal text. */
export function storyJson({ order, credits, legs, payments, entries, events, waits }: OrderStory) {
  return {
    order: { ...order, amount: formatAmount(order.amount) },
    credits: credits.map(({ amount, ...credit }) => ({ ...credit, amount: amount === null ? null : formatAmount(amount) })),
    legs: legs.map(legJson),
    payments,
    entries: entries.map(entryJson),
    events: events.map(({ block, ...event }) => ({ ...event, block: block?.toString() ?? null })),
    waits: waits.map(waitJson),
  };
}

function legJson({ amount, sequence, transactions, log, block, ...leg }: TracedLeg) {
  return {
    ...leg,
    amount: formatAmount(amount),
    sequence: sequence?.toString() ?? null,
    block: block?.toString() ?? null,
    transactions: transactions.map(({ nonce, blockNumber, gasUsed, ...transaction }) => ({
      ...transaction,
      nonce: nonce.toString(),
      blockNumber: blockNumber?.toString() ?? null,
      gasUsed: gasUsed?.toString() ?? null,
    })),
    log: log === undefined ? null : { ...log, blockNumber: log.blockNumber.toString() },
  };
}

/** An entry of the book with its amounts as the API writes them. */
export function entryJson({ postings, ...entry }: JournalEntry) {
  return { ...entry, postings: postings.map((posting) => ({ ...posting, amount: formatAmount(posting.amount) })) };
}

function waitJson({ breaches, untilBlock, nonce, block, ...wait }: LegWait) {
  return {
    ...wait,
    untilBlock: untilBlock?.toString() ?? null,
    nonce: nonce?.toString() ?? null,
    block: block?.toString() ?? null,
    breaches: breaches.map((breach) => ({ ...breach, difference: formatAmount(breach.difference) })),
  };
}
