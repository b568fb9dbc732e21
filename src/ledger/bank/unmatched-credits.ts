import { isValidIBAN } from 'ibantools';
import { sql } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import type { Chain } from '../../platform/chains.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { accounts } from '../book/accounts.ts';
import { bookEntries, recordEntries } from '../book/entries.ts';
import { matchCredits, type NewCredit, placeCreditOrders, type RecordOptions } from './match-credits.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import { mostCounted } from '../most-counted.ts';
import { laneQueue } from '../wake-ups.ts';
import { isOwnPayment, paymentsNamedBy } from './returns/own-payments.ts';
import { requestReturn } from './payments.ts';
import { type CreditSettlement, settleUnmatched } from './settle-credit.ts';
import { isMatchable, remediesOf } from './unmatched-remedies.ts';

/** Another account than the payer's, to which an operator returns a credit. */
export interface ReturnAccount {
  name: string;
  iban: string;
}

/**
 * The credits that wait for an operator, the oldest first, or those that came after the credit with the reference `after`, or `only` the one with a
 * reference; `repeats` is the credit that one may repeat.
 */
export async function listUnmatchedCredits(
  ledger: Ledger,
  limit: number,
  { after, only }: { after?: string | undefined; only?: string | undefined } = {},
) {
  const credits = await ledger
    .selectFrom('credits')
    .where('state', '=', sql.lit('unmatched'))
    .$if(only !== undefined, (query) => query.where('reference', '=', only ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(received_at, reference) > (select c.received_at, c.reference from credits c where c.reference = ${after ?? ''})`,
      ),
    )
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit)
    .select([...listedColumns, 'reason', 'railReason', 'facts', 'repeats'])
    .execute();
  const references = credits.flatMap(({ repeats }) => repeats ?? []);
  const recorded = await ledger
    .selectFrom('credits')
    .where('reference', '=', sql<string>`any(${references}::text[])`)
    .select([...listedColumns, 'state', 'orderId'])
    .execute();
  const byReference = new Map(recorded.map((credit) => [credit.reference, credit]));
  return credits.map(({ repeats, ...credit }) => Object.assign(credit, { repeats: byReference.get(repeats ?? '') ?? null }));
}

const listedColumns = [
  'reference',
  'receivedAt',
  'bookedOn',
  'iban',
  'amount',
  'currency',
  'payer',
  'remittance',
  'endToEndId',
  'uetr',
  'message',
  'source',
] as const;

/** The unmatched credits, all of which wait for an operator. */
export interface UnmatchedCredits {
  /** At most {@link mostCounted} and one more, which says that there are further ones. */
  count: number;
  /** When the oldest arrived, its reference, and why it is unmatched. */
  since: Date;
  oldest: string;
  reason: string;
}

/** How many unmatched credits there are, and the oldest; `undefined` when there is none. */
export async function countUnmatchedCredits(ledger: Ledger): Promise<UnmatchedCredits | undefined> {
  const { rows } = await sql<UnmatchedCredits>`
    select o.received_at as since, o.reference as oldest, o.reason, (
      select count(*)::int from (select from credits where state = 'unmatched' order by received_at limit ${limitHiddenFromPlanner(mostCounted.overdue + 1)}) c) as count
    from credits o where o.state = 'unmatched' order by o.received_at, o.reference limit 1
  `.execute(ledger);
  return rows[0];
}

/** An unmatched credit as far as an operator must know it to decide on it. */
export interface WaitingCredit {
  reference: string;
  amount: MinorUnits | null;
  currency: string | null;
  iban: string | null;
  payer: Party;
  reason: string | null;
  railReason: string | null;
  /** The credit that it is suspected to repeat. */
  repeats: string | null;
}

/**
 * An unmatched credit, which stays as it is until the transaction ends where it is to be locked. Throws `not_found`, and `credit_not_unmatched`, which says
 * how it ended.
 */
export async function findWaitingCredit(ledger: Ledger, reference: string, lock?: 'lock'): Promise<WaitingCredit> {
  return (await unmatchedCredit(ledger, reference, lock)).row;
}

/**
 * Marks an unmatched credit as returned, once, and records the payment that returns it: to its payer, or to another account. Without a known
 * account, amount or currency there is no `payment`, and the operator has to send the money. A payment of ours that came back can only go to
 * another account, and only while nothing was given back for it. Throws `not_found`, `credit_not_unmatched`, `not_possible`,
 * `bad_input`.
 */
export async function returnCredit(ledger: Ledger, reference: string, to?: ReturnAccount) {
  if (to !== undefined && !isValidIBAN(to.iban, { allowQRIBAN: true }))
    throw new StopError({ code: 'bad_input', message: `Nothing can be paid to this account: ${to.iban} is not a valid IBAN` });
  return inTransaction(ledger, async (tx) => {
    const credit = await markReturned(tx, reference, to);
    const payment = await requestReturn(tx, reference, to);
    await bookReturn(tx, credit, payment);
    return { ...credit, payer: to ?? credit.payer, payment };
  });
}

/**
 * Marks an unmatched credit as returned, once, whose money the bank takes back itself: its debit is the return. Throws `not_found`,
 * `credit_not_unmatched`, `not_possible`.
 */
export async function leaveReturnToBank(tx: LedgerTransaction, reference: string): Promise<void> {
  await bookReturn(tx, await markReturned(tx, reference, undefined), undefined);
}

/** Moves the money of a credit to what is to be returned, by a payment or by a debit that is still to come. */
async function bookReturn(
  tx: LedgerTransaction,
  { reference, currency, amount }: Awaited<ReturnType<typeof markReturned>>,
  payment: string | undefined,
): Promise<void> {
  if (currency === null || amount === null) return;
  const entry = { kind: 'credit-returned', source: payment ?? reference, debit: accounts.suspense, credit: accounts.return } as const;
  await recordEntries(tx, [{ ...entry, currency, amount }]);
  if (payment === undefined) await tx.updateTable('credits').set({ awaitsDebit: true }).where('reference', '=', reference).execute();
}

/** Throws `not_possible` when returning a payment of ours that came back would pay twice. */
async function requireUnpaid(tx: LedgerTransaction, reference: string, to: ReturnAccount | undefined): Promise<void> {
  if (to === undefined) {
    const message = `${reference} is a payment of ours that came back: its payer is the one whom we paid. Match it to its payment (\`mintrail bank match\`), or return it to an account of the customer (--to-iban)`;
    throw new StopError({ code: 'not_possible', message });
  }
  const texts = await tx
    .selectFrom('credits')
    .where('reference', '=', reference)
    .select(['remittance', 'endToEndId', 'facts'])
    .executeTakeFirstOrThrow();
  const named = paymentsNamedBy(texts);
  const payments =
    named.length === 0 ? [] : await tx.selectFrom('payments').where('id', 'in', named).select(['id', 'state', 'cameBackBy']).execute();
  const given = payments.find(({ state, cameBackBy }) => state === 'refused' || (state === 'returned' && cameBackBy !== reference));
  if (given === undefined) return;
  const message = `${reference} belongs to the payment ${given.id}, which is ${given.state}: its money was given back already, and returning it would pay twice. Settle it: \`mintrail bank settle\``;
  throw new StopError({ code: 'not_possible', message });
}

async function markReturned(tx: LedgerTransaction, reference: string, to: ReturnAccount | undefined) {
  const { railReason } = await unmatchedCredit(tx, reference, 'lock');
  if (isOwnPayment(railReason)) await requireUnpaid(tx, reference, to);
  const credit = await tx
    .updateTable('credits')
    .set({ state: 'returned', returnedAt: sql`now()` })
    .where('reference', '=', reference)
    .where('state', '=', 'unmatched')
    .returning(['reference', 'payer', 'amount', 'currency', 'endToEndId', 'facts', 'returnedAt'])
    .executeTakeFirst();
  if (credit !== undefined) return credit;
  throw new RetryError({ code: 'import_busy', message: `The credit ${reference} was changed just now: try again` });
}

/**
 * Settles an unmatched credit, once: it is the operator's own money, or undoes an unexplained debit. Throws `not_found`,
 * `credit_not_unmatched` and `not_possible`.
 */
export async function settleCredit(ledger: Ledger, settlement: CreditSettlement): Promise<void> {
  await unmatchedCredit(ledger, settlement.reference);
  if (await settleUnmatched(ledger, settlement)) return;
  // Throws when another operator was faster.
  await unmatchedCredit(ledger, settlement.reference);
}

/** The order that an unmatched credit would become, and whose it would be; or why it cannot become one. */
export interface CreditMatchPlan {
  reference: string;
  amount: MinorUnits | null;
  currency: string | null;
  payer: Party;
  /** The stable code of why it is unmatched, and the reason for people. */
  railReason: string | null;
  reason: string | null;
  profile: string | null;
  /** The name of that profile. */
  holder: string | null;
  chain: Chain | null;
  address: string | null;
  /** Why it still cannot become an order; null when it can. */
  unmatched: string | null;
}

/** Reads what {@link matchCredit} would do. Throws `not_found`, `credit_not_unmatched` and `not_possible`. */
export async function planCreditMatch(ledger: Ledger, reference: string, options: RecordOptions): Promise<CreditMatchPlan> {
  const { railReason, reason, credit } = await matchableCredit(ledger, reference);
  const { rows } = await sql<Pick<CreditMatchPlan, 'profile' | 'holder' | 'chain' | 'address' | 'unmatched'>>`
    ${matchCredits([credit], options)}
    select m.profile, p.name as holder, m.to_chain as chain, m.to_address as address, m.unmatched
    from matched m left join profiles p on p.id = m.profile
  `.execute(ledger);
  const { amount = null, currency = null, payer } = credit;
  return { reference, amount, currency, payer, railReason, reason, ...(rows[0] as (typeof rows)[number]) };
}

/** Whether an unmatched credit is a payment of ours that came back. Throws `not_found` and `credit_not_unmatched`. */
export async function isReturnedPayment(ledger: Ledger, reference: string): Promise<boolean> {
  return isOwnPayment((await unmatchedCredit(ledger, reference)).railReason);
}

/** A credit that was matched, and the order it became. */
export interface MatchedCredit {
  reference: string;
  orderId: string;
  chain: Chain;
}

/**
 * Matches an unmatched credit again and makes it an order, once. Throws `not_found`, `credit_not_unmatched`, and
 * `not_possible` with the reason when nothing has changed.
 */
export async function matchCredit(ledger: Ledger, reference: string, options: RecordOptions): Promise<MatchedCredit> {
  const { credit } = await matchableCredit(ledger, reference);
  const { rows } = await matchUnmatched(credit, options).execute(ledger);
  const [outcome] = rows;
  if (outcome?.orderId && outcome.chain) {
    ledger.wakeUps.add(laneQueue(outcome.chain));
    return { reference, orderId: outcome.orderId, chain: outcome.chain };
  }
  // Throws when another operator has matched or returned it in the meantime.
  await unmatchedCredit(ledger, reference);
  const why = outcome?.unmatched ?? 'it changed just now; try again';
  throw new StopError({ code: 'not_possible', message: `${reference} still cannot become an order: ${why}` });
}

async function matchableCredit(ledger: Ledger, reference: string) {
  const unmatched = await unmatchedCredit(ledger, reference);
  const { railReason, reason } = unmatched;
  if (isMatchable(railReason)) return unmatched;
  throw new StopError({
    code: 'not_possible',
    message: `${reference} cannot become an order: ${reason}. ${remediesOf(railReason).join(', or ')}`,
  });
}

function matchUnmatched(credit: NewCredit, options: RecordOptions) {
  return sql<{ orderId: string | null; chain: Chain | null; unmatched: string | null }>`
    ${matchCredits([credit], options)}, recorded as (
      update credits c set state = 'matched', order_id = m.order_id, reason = null
      from matched m
      where m.unmatched is null and c.reference = m.reference and c.state = 'unmatched' and c.amount = m.amount
      returning c.reference, c.order_id, c.currency, c.amount
    ), ${placeCreditOrders(options)}, ${bookEntries(sql`
      select 'match' as kind, r.order_id::text as source, null::date as booked_on, ${accounts.suspense} as debit, ${accounts.issue} as credit,
        r.currency, r.amount
      from recorded r`)}
    select r.order_id, p.chain, m.unmatched
    from matched m left join recorded r on r.reference = m.reference left join placed p on p.id = r.order_id
  `;
}

/** An unmatched credit as it was reported. Throws `not_found`, or `credit_not_unmatched`, which says how it ended. */
async function unmatchedCredit(ledger: Ledger, reference: string, lock?: 'lock') {
  const query = ledger.selectFrom('credits').where('reference', '=', reference).selectAll();
  const row = await (lock === undefined ? query : query.forUpdate()).executeTakeFirst();
  if (row === undefined) {
    const message = `There is no credit ${reference}; \`mintrail bank unmatched\` lists those that wait`;
    throw new StopError({ code: 'not_found', message });
  }
  if (row.state !== 'unmatched') {
    const ends = {
      matched: `became the order ${row.orderId}`,
      returned: `was returned already, at ${row.returnedAt?.toISOString()}`,
      replaced: 'was replaced by the transactions it consists of',
      reversed: 'was taken back by the bank',
      settled: `was settled already, at ${row.settledAt?.toISOString()}`,
      repeated: `is the money of ${row.repeats}`,
    };
    throw new StopError({ code: 'credit_not_unmatched', message: `The credit ${reference} ${ends[row.state]}` });
  }
  const credit: NewCredit = {
    reference,
    bankAccount: row.bankAccount,
    payer: row.payer,
    ...(row.iban !== null && { iban: row.iban }),
    ...(row.currency !== null && { currency: row.currency }),
    ...(row.amount !== null && { amount: row.amount }),
    ...(row.remittance !== null && { remittance: row.remittance }),
    ...(row.structuredReference !== null && { structuredReference: row.structuredReference }),
  };
  return { row, credit, reason: row.reason, railReason: row.railReason };
}
