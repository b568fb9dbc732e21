import { type Selectable, sql } from 'kysely';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentState } from '../../schema/states.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** Credits of each state that a search looks at, the latest first: it costs the same however many there are. */
const mostSearched = 5_000;

/** What a customer who misses money says about it; a credit fits when any of it does. */
export interface CreditSearch {
  /** Part of the payer's name, of the message, of a reference or of an account; upper and lower case are the same. */
  text: string;
  amount?: { amount: MinorUnits; currency: Currency | undefined } | undefined;
  /** Of the payer, or that to which they paid, even where it is not valid; without spaces. */
  iban?: string | undefined;
}

/** A credit that was found, and why it became no order. */
export interface FoundCredit extends Pick<
  Selectable<LedgerTables['credits']>,
  'reference' | 'receivedAt' | 'amount' | 'currency' | 'reason' | 'returnedAt'
> {
  state: 'unmatched' | 'returned';
  payerName: string | null;
  /** The state of the payment that returns it; null where an operator sends the money. */
  payment: PaymentState | null;
}

/**
 * The credits that fit and that no order has, the latest first, `limit` at most: those that wait for an operator, and those that were returned. One that was
 * returned is found by its reference however old it is.
 */
export async function searchOrderlessCredits(ledger: Ledger, { text, amount, iban }: CreditSearch, limit: number): Promise<FoundCredit[]> {
  const part = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { rows } = await sql<FoundCredit>`
    with searched as materialized (
      (select * from credits where state = 'unmatched' order by received_at desc limit ${mostSearched})
      union all (select * from credits where state = 'returned' and reference <> ${text} order by received_at desc limit ${mostSearched})
      union all select * from credits where reference = ${text} and state = 'returned'
    )
    select reference, state, received_at as "receivedAt", amount, currency, payer ->> 'name' as "payerName", reason, returned_at as "returnedAt",
      (select p.state from payments p where p.credit = searched.reference order by p.created_at desc limit 1) as payment
    from searched
    where reference ilike ${part} or end_to_end_id ilike ${part} or remittance ilike ${part} or payer ->> 'name' ilike ${part}
      or ${iban ?? null}::text in (iban, payer ->> 'iban') or reason ilike '%' || ${iban ?? null}::text || '%'
      or (amount = ${amount?.amount ?? null}::bigint and currency = coalesce(${amount?.currency ?? null}::text, currency))
    order by received_at desc limit ${limit}
  `.execute(ledger);
  return rows;
}
