import { sql } from 'kysely';
import { accounts } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import type { Ledger } from '../ledger.ts';

/** What an operator may settle an unmatched credit as, with the account of the book that it is credited to. */
export const settlements = {
  /** The operator's own money: a top-up, interest, a refunded fee. */
  own: accounts.operator,
  /** It makes an unexplained debit good, such as the debit of a payment that was refused. */
  difference: accounts.differences,
} as const;

/** How an operator settles an unmatched credit. */
export interface CreditSettlement {
  reference: string;
  as: keyof typeof settlements;
  /** Why, for those who read the credit later. */
  reason: string;
}

/** Settles an unmatched credit for an operator, once: it becomes neither an order nor a return. Returns whether it was unmatched. */
export async function settleUnmatched(ledger: Ledger, { reference, as, reason }: CreditSettlement): Promise<boolean> {
  const { rows } = await sql`
    with settled as (
      update credits set state = 'settled', settled_as = ${as}, settled_at = now(), reason = ${reason}
      where reference = ${reference} and state = 'unmatched'
      returning reference, booked_on, currency, amount
    ), ${bookEntries(sql`
      select 'credit-settled' as kind, reference as source, booked_on, ${accounts.suspense} as debit, ${settlements[as]} as credit, currency, amount
      from settled where amount is not null and currency is not null`)}
    select reference from settled
  `.execute(ledger);
  return rows.length > 0;
}
