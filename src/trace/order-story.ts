import { sql } from 'kysely';
import { indexedOutcomes } from '../indexed/outcomes.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import { findEntriesOf, type JournalEntry } from '../ledger/book/journal.ts';
import { endToEndIdOf } from '../ledger/end-to-end-id.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type LegWait, readLegWaits } from '../ledger/orders/leg-waits.ts';
import { orderColumns } from '../ledger/orders/orders-in-state.ts';
import { type OrderHistoryEntry, readOrderHistory } from '../ledger/orders/order-history.ts';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Chain } from '../platform/chains.ts';
import type { Currency, MinorUnits } from '../platform/money.ts';

/**
 * Everything that happened to an order and its money, from the bank's reference to the bank's reference. Each page, command and answer about an order shows
 * as much of it as its readers need.
 */
export interface OrderStory {
  order: StoryOrder;
  /** The credit that it was issued for. */
  credits: TracedCredit[];
  legs: TracedLeg[];
  payments: TracedPayment[];
  entries: JournalEntry[];
  /** What happened, the oldest first: the history that the API shows. */
  events: OrderHistoryEntry[];
  /** What its open legs wait for. */
  waits: LegWait[];
}

/** The order, and the orders that it came from and that carry it on. */
type StoryOrder = NonNullable<Awaited<ReturnType<typeof readOrder>>>;

/** A credit as the bank reported it. */
export interface TracedCredit {
  reference: string;
  entryReference: string | null;
  endToEndId: string | null;
  bookedOn: string | null;
  /** The file that reported it. */
  source: string;
  state: string;
  /** Minor units; null with the currency when the bank did not say. */
  amount: MinorUnits | null;
  currency: string | null;
  receivedAt: Date;
}

/** A leg with its transactions and what the index has of it. */
export interface TracedLeg {
  id: string;
  kind: string;
  state: string;
  chain: Chain | null;
  currency: Currency;
  account: LowerAddress | null;
  amount: MinorUnits;
  sequence: bigint | null;
  reason: string | null;
  createdAt: Date;
  doneAt: Date | null;
  /** What carried it out or was refused. */
  txHash: string | null;
  block: bigint | null;
  /** Those that carried it and did not carry it out, then the one that carries it now. */
  transactions: TracedTransaction[];
  /** What the token contract logged, as indexed; undefined when the index has nothing or cannot be read. */
  log: { txHash: string; blockNumber: bigint; refused: string | null } | undefined;
}

/** A transaction that carries or carried a leg, with all its attempts. */
interface TracedTransaction {
  signer: string;
  nonce: bigint;
  state: string;
  hash: string | null;
  blockNumber: bigint | null;
  gasUsed: bigint | null;
  createdAt: Date;
  minedAt: Date | null;
  /** Why it did not carry the leg out, such as `reverted`; null for the one that carries it now. */
  failure: string | null;
  /** Fees in wei, the oldest attempt first. */
  attempts: { hash: string; maxFeePerGas: string; maxPriorityFeePerGas: string; createdAt: Date }[];
}

/** A payment to the bank. */
export interface TracedPayment {
  id: string;
  endToEndId: string;
  /** The leg that it carries out; null for a return of a credit that is no order's leg. */
  leg: string | null;
  kind: string;
  state: string;
  creditorName: string;
  creditorIban: string;
  file: string | null;
  bankStatus: string | null;
  reason: string | null;
  createdAt: Date;
  sentAt: Date | null;
  decidedAt: Date | null;
  /** The bank's booking day, `YYYY-MM-DD`; null until a statement shows the debit. */
  bookedOn: string | null;
  /** The bank's references of the debits that book it, also as a part of its whole payment file. */
  debits: string[];
}

/** Reads the story of an order; undefined when there is no such order. Chains without indexed tables have no logs in it. */
export async function readOrderStory(ledger: Ledger, id: string): Promise<OrderStory | undefined> {
  const order = await readOrder(ledger, id);
  if (order === undefined) return undefined;
  const credits = await ledger
    .selectFrom('credits')
    .where('orderId', '=', id)
    .select(['reference', 'entryReference', 'endToEndId', 'bookedOn', 'source', 'state', 'amount', 'currency', 'receivedAt'])
    .execute();
  const legs = await readLegs(ledger, id);
  const payments = await readPayments(
    ledger,
    id,
    credits.map(({ reference }) => reference),
  );
  const sources = [
    id,
    ...credits.map(({ reference }) => reference),
    ...legs.map((leg) => leg.id),
    ...payments.map((payment) => payment.id),
  ];
  const [entries, events, waits] = await Promise.all([
    findEntriesOf(ledger, sources),
    readOrderHistory(ledger, id),
    readLegWaits(ledger, id),
  ]);
  return { order, credits, legs, payments, entries, events, waits };
}

// Of the request only its order is told: the hash of it tells nobody anything.
const shownColumns = orderColumns.filter((column) => column !== 'requestHash');

async function readOrder(ledger: Ledger, id: string) {
  const order = await ledger.selectFrom('orders').where('id', '=', id).select(shownColumns).executeTakeFirst();
  if (order === undefined) return undefined;
  const dependent = await ledger.selectFrom('orders').where('sourceOrder', '=', id).select('id').execute();
  const givingBack = await ledger.selectFrom('orders').where('givesBack', '=', id).select('id').orderBy('placedAt', 'desc').execute();
  return Object.assign(order, { dependentOrders: dependent.map((row) => row.id), givenBackBy: givingBack[0]?.id ?? null });
}

async function readLegs(ledger: Ledger, orderId: string): Promise<TracedLeg[]> {
  const legs = await ledger
    .selectFrom('legs')
    .where('orderId', '=', orderId)
    .orderBy('position')
    .select(['id', 'kind', 'state', 'chain', 'currency', 'account', 'amount', 'sequence', 'reason', 'createdAt', 'doneAt', 'transaction'])
    .select(['txHash', 'blockNumber as block'])
    .execute();
  return Promise.all(
    legs.map(async ({ transaction, ...leg }) =>
      Object.assign(leg, {
        transactions: await readTransactions(ledger, leg.id, transaction),
        log: leg.chain === null ? undefined : await readLog(ledger, leg.chain, orderId, leg.kind),
      }),
    ),
  );
}

async function readTransactions(ledger: Ledger, leg: string, present: string | null): Promise<TracedTransaction[]> {
  const failures = await ledger
    .selectFrom('legFailures')
    .where('leg', '=', leg)
    .where('transaction', 'is not', null)
    .orderBy('at')
    .select(['transaction', 'outcome', 'reason'])
    .execute();
  const failed = failures.map(async ({ transaction, outcome, reason }) =>
    readTransaction(ledger, transaction as string, reason ?? outcome.replaceAll('_', ' ')),
  );
  const carrying = present === null ? [] : [readTransaction(ledger, present, null)];
  return (await Promise.all([...failed, ...carrying])).flat();
}

async function readTransaction(ledger: Ledger, id: string, failure: string | null): Promise<TracedTransaction[]> {
  const transactions = await ledger
    .selectFrom('transactions')
    .where('id', '=', id)
    .select(['signer', 'nonce', 'state', 'hash', 'blockNumber', 'gasUsed', 'createdAt', 'minedAt'])
    .execute();
  const attempts = await ledger
    .selectFrom('transactionAttempts')
    .where('transaction', '=', id)
    .orderBy('position')
    .select(['hash', 'maxFeePerGas', 'maxPriorityFeePerGas', 'createdAt'])
    .execute();
  return transactions.map((transaction) => Object.assign(transaction, { attempts, failure }));
}

async function readLog(ledger: Ledger, chain: Chain, orderId: string, kind: string): Promise<TracedLeg['log']> {
  const indexed = await readIndexed(() =>
    sql<NonNullable<TracedLeg['log']>>`
      select tx_hash, block_number, refused from ${indexedOutcomes(chain)} o
      where order_id = ${orderId} and kind = ${kind} order by refused is not null, block_number desc limit 1
    `.execute(ledger),
  );
  return indexed?.rows[0];
}

async function readPayments(ledger: Ledger, orderId: string, credits: string[]): Promise<TracedPayment[]> {
  // Each from its own index, which one condition over both could not use.
  const own = sql<string>`any(array(
    select p.id from legs l join payments p on p.leg = l.id where l.order_id = ${orderId}
    union select id from payments where credit = any(${credits}::text[])))`;
  const payments = await ledger
    .selectFrom('payments as p')
    .leftJoin('paymentFiles as f', 'f.id', 'p.file')
    .where('p.id', '=', own)
    .orderBy('p.createdAt')
    .select(['p.id', 'p.kind', 'p.state', 'f.name as file', 'p.bankStatus', 'p.reason', 'p.createdAt', 'p.sentAt', 'p.decidedAt'])
    .select(['p.bookedOn', 'p.file as fileId', 'p.leg', 'p.creditorName', 'p.creditorIban'])
    .execute();
  return Promise.all(
    payments.map(async ({ fileId, ...payment }) =>
      Object.assign(payment, { endToEndId: endToEndIdOf(payment.id), debits: await readDebits(ledger, payment.id, fileId) }),
    ),
  );
}

async function readDebits(ledger: Ledger, payment: string, file: string | null): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    select reference from bank_debits where payment = ${payment} and state in ('payment', 'explained')
    union select reference from bank_debits where more_payments @> array[${payment}::uuid] and state = 'explained'
    union select reference from bank_debits where payment_file = ${file} and state = 'payment'
  `.execute(ledger);
  return rows.map(({ reference }) => reference);
}
