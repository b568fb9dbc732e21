import { sql } from 'kysely';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** Waiting credits that a search looks at, the latest first: it costs the same however many wait. */
const mostSearched = 5_000;

/** What a customer who misses money says about it; a credit fits when any of it does. */
export interface CreditSearch {
  /** Part of the payer's name, of the message, of a reference or of an account; upper and lower case are the same. */
  text: string;
  amount?: { amount: MinorUnits; currency: Currency | undefined } | undefined;
  /** Of the payer, or that to which they paid, even where it is not valid; without spaces. */
  iban?: string | undefined;
}

/** An unmatched credit that was found. */
export interface FoundCredit {
  reference: string;
  receivedAt: Date;
  amount: MinorUnits | null;
  currency: string | null;
  payerName: string | null;
  reason: string;
}

/** The unmatched credits that fit, the latest first, `limit` at most. They wait for an operator, and no order has them yet. */
export async function searchUnmatchedCredits(ledger: Ledger, { text, amount, iban }: CreditSearch, limit: number): Promise<FoundCredit[]> {
  const part = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { rows } = await sql<FoundCredit>`
    select reference, received_at as "receivedAt", amount, currency, payer ->> 'name' as "payerName", reason
    from (select * from credits where state = 'unmatched' order by received_at desc limit ${mostSearched}) waiting
    where reference ilike ${part} or end_to_end_id ilike ${part} or remittance ilike ${part} or payer ->> 'name' ilike ${part}
      or ${iban ?? null}::text in (iban, payer ->> 'iban') or reason ilike '%' || ${iban ?? null}::text || '%'
      or (amount = ${amount?.amount ?? null}::bigint and currency = coalesce(${amount?.currency ?? null}::text, currency))
    order by received_at desc limit ${limit}
  `.execute(ledger);
  return rows;
}
