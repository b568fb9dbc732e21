import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { accounts } from '../book/accounts.ts';
import { bookEntries, recordEntries } from '../book/entries.ts';
import { matchCredits, type NewCredit, placeCreditOrders, type RecordOptions } from './match-credits.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';
import { requestReturn } from './payments.ts';

/** Reasons that an operator may override: after a question to the bank the credit can become an order. */
const overridableReasons = new Set(['reference_missing', 'reference_conflict', 'details_differ']);

/** Reasons of credits that are payments of ours coming back: returning them would pay a second time. */
const ownPaymentReasons = new Set(['payment_returned', 'debit_reversed']);

/** The credits that wait for an operator, the oldest first. */
export async function listUnmatchedCredits(ledger: Ledger, limit: number) {
  return ledger
    .selectFrom('credits')
    .where('state', '=', 'unmatched')
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit)
    .select(['reference', 'receivedAt', 'bookedOn', 'iban', 'amount', 'currency', 'payer', 'remittance'])
    .select(['endToEndId', 'source', 'reason', 'railReason', 'facts'])
    .execute();
}

/**
 * Marks an unmatched credit as returned, once, and records the payment that returns it. Without a known payer, amount or currency there is no
 * `payment`, and the operator has to send the money. Throws `unknown_credit`, `credit_not_unmatched`,
 * `own_payment`.
 */
export async function returnCredit(ledger: Ledger, reference: string) {
  const returned = await inTransaction(ledger, async (tx) => {
    const credit = await markReturned(tx, reference);
    if (credit === undefined) return undefined;
    const payment = await requestReturn(tx, reference);
    const { currency, amount } = credit;
    const entry = { kind: 'credit-returned', source: payment ?? reference, debit: accounts.suspense, credit: accounts.return } as const;
    if (currency !== null && amount !== null) await recordEntries(tx, [{ ...entry, currency, amount }]);
    return { ...credit, payment };
  });
  if (returned !== undefined) return returned;
  const { railReason } = await unmatchedCredit(ledger, reference);
  throw new StopError({
    code: 'own_payment',
    message: `${reference} is a payment of ours that came back (${railReason}): sending it again would pay twice. The payout it belongs to settles it`,
  });
}

async function markReturned(tx: LedgerTransaction, reference: string) {
  return tx
    .updateTable('credits')
    .set({ state: 'returned', returnedAt: sql`now()` })
    .where('reference', '=', reference)
    .where('state', '=', 'unmatched')
    .where((eb) => eb.or([eb('railReason', 'is', null), eb('railReason', 'not in', [...ownPaymentReasons])]))
    .returning(['reference', 'payer', 'amount', 'currency', 'endToEndId', 'facts', 'returnedAt'])
    .executeTakeFirst();
}

/** A credit that was matched, and the order it became. */
export interface MatchedCredit {
  reference: string;
  orderId: string;
  chain: Chain;
}

/**
 * Matches an unmatched credit again and makes it an order, once. Throws `unknown_credit`, `credit_not_unmatched`,
 * `credit_not_matchable`, and `still_unmatched` with the reason when nothing has changed.
 */
export async function matchCredit(ledger: Ledger, reference: string, options: RecordOptions): Promise<MatchedCredit> {
  const { railReason, reason, credit } = await unmatchedCredit(ledger, reference);
  if (railReason !== null && !overridableReasons.has(railReason))
    throw new StopError({
      code: 'credit_not_matchable',
      message: `${reference} cannot become an order: ${reason}. It can only be returned`,
    });
  const { rows } = await matchUnmatched(credit, options).execute(ledger);
  const [outcome] = rows;
  if (outcome?.orderId && outcome.chain) {
    ledger.wakeUps.add(laneQueue(outcome.chain));
    return { reference, orderId: outcome.orderId, chain: outcome.chain };
  }
  // Throws when another operator has matched or returned it in the meantime.
  await unmatchedCredit(ledger, reference);
  const why = outcome?.unmatched ?? 'it changed just now; try again';
  throw new StopError({ code: 'still_unmatched', message: `${reference} still cannot become an order: ${why}` });
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

/** An unmatched credit as it was reported. Throws `unknown_credit`, or `credit_not_unmatched`, which says how it ended. */
async function unmatchedCredit(ledger: Ledger, reference: string) {
  const row = await ledger.selectFrom('credits').where('reference', '=', reference).selectAll().executeTakeFirst();
  if (row === undefined) {
    const message = `There is no credit ${reference}; \`mintrail bank unmatched\` lists those that wait`;
    throw new StopError({ code: 'unknown_credit', message });
  }
  if (row.state !== 'unmatched') {
    const ends = {
      matched: `became the order ${row.orderId}`,
      returned: `was returned already, at ${row.returnedAt?.toISOString()}`,
      replaced: 'was replaced by the transactions it consists of',
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
  return { credit, reason: row.reason, railReason: row.railReason };
}
