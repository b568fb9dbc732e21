import type { JournalEntry } from '../../ledger/book/journal.ts';
import { findProfileName } from '../../ledger/customers/profile-search.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readLegWaits } from '../../ledger/orders/leg-waits.ts';
import { readOrder } from '../../ledger/orders/order-queries.ts';
import { stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { listDeliveries } from '../../ledger/webhooks/delivery-queries.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import type { Settings } from '../../platform/settings.ts';
import { readProblems } from '../../problems/read-status.ts';
import { describeAwaited } from '../../trace/leg-wait-text.ts';
import { problemsOfOrder } from '../../trace/order-problems.ts';
import { type OrderTrace, readOrderTrace, type TracedLeg } from '../../trace/order-trace.ts';

/** Deliveries of an order that are shown, the latest. */
const mostDeliveries = 100;

/**
 * All that is known of an order: the way of its money, what it waits for, its history and its deliveries. Throws `not_found`.
 */
export async function readOrderView({ ledger, settings }: { ledger: Ledger; settings: Settings }, id: string) {
  const [stored, trace] = await Promise.all([readOrder(ledger, id), readOrderTrace(ledger, id)]);
  if (stored === undefined || trace === undefined) throw new StopError({ code: 'not_found', message: `There is no order ${id}` });
  const { order, events } = stored;
  const { counterpart, memo, referenceNumber, message, profile } = order;
  const { amount, ...facts } = trace.order;
  return {
    order: {
      ...facts,
      amount: formatAmount(amount),
      profile,
      profileName: (await findProfileName(ledger, profile)) ?? '',
      counterpart,
      memo,
      referenceNumber,
      message,
      rejectedAt: order.rejectedAt,
    },
    credits: trace.credits.map((credit) => ({ ...credit, amount: credit.amount === null ? null : formatAmount(credit.amount) })),
    legs: trace.legs.map(renderLeg),
    payments: trace.payments,
    entries: trace.entries.map(renderEntry),
    ...(await readWaits({ ledger, settings }, trace)),
    history: events.map(({ block, ...entry }) => Object.assign(entry, { block: block?.toString() ?? null })),
    deliveries: await readDeliveries(ledger, id),
  };
}

function renderLeg({ amount, sequence, transactions, log, ...leg }: TracedLeg) {
  return {
    ...leg,
    amount: formatAmount(amount),
    sequence: sequence?.toString() ?? null,
    transactions: transactions.map(({ nonce, blockNumber, gasUsed, ...transaction }) => ({
      ...transaction,
      nonce: nonce.toString(),
      blockNumber: blockNumber?.toString() ?? null,
      gasUsed: gasUsed?.toString() ?? null,
    })),
    log: log === undefined ? null : { ...log, blockNumber: log.blockNumber.toString() },
  };
}

function renderEntry({ postings, ...entry }: JournalEntry) {
  return { ...entry, postings: postings.map((posting) => ({ ...posting, amount: formatAmount(posting.amount) })) };
}

/** What an open order waits for, what is wrong where it waits, and whether it waits for an operator alone. */
async function readWaits({ ledger, settings }: { ledger: Ledger; settings: Settings }, { order }: OrderTrace) {
  if (order.state !== 'placed' && order.state !== 'pending') return { waits: [], problems: [], isStuck: false };
  const [waits, stuck] = await Promise.all([readLegWaits(ledger, order.id), stuckOrders(ledger)]);
  const { problems } = waits.length === 0 ? { problems: [] } : await readProblems(ledger, settings);
  return {
    waits: waits.map((wait) => ({
      kind: wait.kind,
      chain: wait.chain,
      since: wait.since,
      failures: wait.failures,
      /** Goes on behind "waits for"; times in it are ISO 8601. */
      awaited: describeAwaited(wait, (at) => at.toISOString()),
    })),
    problems: problemsOfOrder(problems, { order: order.id, waits }).map(({ kind, since, text }) => ({ kind, since, text })),
    isStuck: stuck.some(({ id }) => id === order.id),
  };
}

async function readDeliveries(ledger: Ledger, subject: string) {
  const { rows } = await listDeliveries(ledger, { subject }, { limit: mostDeliveries });
  return rows.map(({ id, subscription, type, state, attempts, createdAt, endedAt, lastStatus, lastError, nextAttemptAt }) => ({
    id,
    subscription,
    type,
    state,
    attempts,
    createdAt,
    endedAt,
    lastStatus,
    lastError,
    nextAttemptAt,
  }));
}
