import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import { inputRows } from '../input-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { mostCounted, type Waiting } from '../most-counted.ts';
import { lockImports } from './bank-files.ts';
import { recordDebits } from './debits/bank-debits.ts';
import { explainDebit } from './debits/explain-debit.ts';

/** Whether a credit is awaited in a statement, because only notifications report it. */
export interface AwaitedCredit {
  reference: string;
  isAwaited: boolean;
}

/** Records which known credits are awaited now, and which a statement lists, unless an operator has said under which reference it does. */
export async function recordAwaited(tx: LedgerTransaction, credits: readonly AwaitedCredit[]): Promise<void> {
  if (credits.length === 0) return;
  await sql`
    update credits c set is_awaited = g.is_awaited from ${inputRows(credits, 'reference text, is_awaited boolean')} g
    where c.reference = g.reference and c.stated_as is null
  `.execute(tx);
}

/** Days after which a statement lists what was notified: lines of more days between are other money (docs/bank-files.md). */
const mostDaysAwaited = 5;

/** Credits of an account that are awaited although the statements of the days after them are there. */
export interface OverdueCredits extends Waiting {
  account: string;
}

/** Those credits, by account. Costs what waits, and the number of statements. */
export async function overdueCredits(ledger: Ledger): Promise<OverdueCredits[]> {
  const { rows } = await sql<OverdueCredits>`
    select a.account, count(*)::int as count, min(c.received_at) as since, (array_agg(c.reference order by c.booked_on, c.reference))[1] as oldest
    from (select account, max(closed_on) as closed_on from bank_documents where closed_on is not null group by account) a
    cross join lateral (
      select received_at, booked_on, reference from credits c
      where is_awaited and bank_account = a.account and booked_on <= a.closed_on - ${mostDaysAwaited}::integer
        and state in ('matched', 'unmatched', 'returned') and not exists (select from reversals v where v.credit = c.reference)
      order by booked_on limit ${limitHiddenFromPlanner(mostCounted.overdue + 1)}
    ) c
    group by a.account order by a.account
  `.execute(ledger);
  return rows;
}

/**
 * An operator says that the bank has not booked a credit that it has notified. It is taken back as by a debit: what is not issued never is, and what was issued is a
 * claim. Waits until no import runs. Throws `not_possible`.
 */
export async function takeAwaitedBack(ledger: Ledger, credit: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    await lockImports(tx);
    const { currency, amount, bankAccount: account, bookedOn } = await requireAwaited(tx, credit);
    const debit = { reference: `${credit}#not-booked`, account, currency, amount, bookedOn, isSum: false, payee: {}, files: [] };
    await recordDebits(tx, [{ debit, problem: 'the bank has not booked the credit' }], 'operator');
    return explainDebit(tx, debit.reference, { explanation: { as: 'reversal-of', credits: [credit] }, reason, operator });
  });
}

/** A credit that only a notification reports, and that nothing has taken back. Throws `not_possible`. */
export async function requireAwaited(ledger: Ledger, credit: string) {
  const awaited = await ledger
    .selectFrom('credits')
    .where('reference', '=', credit)
    .where('isAwaited', '=', true)
    .where('state', 'in', ['matched', 'unmatched', 'returned'])
    .where(sql<boolean>`not exists (select from reversals v where v.credit = credits.reference)`)
    .select(['currency', 'amount', 'bankAccount', 'payer', 'orderId'])
    .select(sql<string>`coalesce(booked_on, (now() at time zone 'utc')::date)::text`.as('bookedOn'))
    .executeTakeFirst();
  const { amount = null, currency = null } = awaited ?? {};
  if (awaited === undefined || amount === null || currency === null)
    throw new StopError({
      code: 'not_possible',
      message: `${credit} is no credit that only a notification reports: mintrail status names those; one that a statement lists is taken back by a debit of the bank`,
    });
  return { ...awaited, amount, currency };
}
