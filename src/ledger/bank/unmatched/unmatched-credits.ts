import { sql, type Selectable } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import { type CreditStanding, findStandings } from '../credit-standing.ts';
import type { Currency, MinorUnits } from '../../../platform/money.ts';
import type { PaymentState } from '../../../schema/states.ts';
import type { LedgerTables } from '../../../schema/tables.ts';

/**
 * The credits that wait for an operator, the oldest first, or those that came after the credit with the reference `after`, or `only` the one with a
 * reference; `repeats` is the credit that one may repeat.
 */
export async function listUnmatchedCredits(
  ledger: Ledger,
  limit: number,
  { after, only }: { after?: string | undefined; only?: string | undefined } = {},
) {
  const credits = await listed(ledger)
    .where('state', '=', sql.lit('unmatched'))
    .$if(only !== undefined, (query) => query.where('reference', '=', only ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(received_at, reference) > (select c.received_at, c.reference from credits c where c.reference = ${after})`),
    )
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit)
    .select(['reason', 'railReason', 'facts', 'repeats'])
    .execute();
  const references = credits.flatMap(({ repeats }) => repeats ?? []);
  const isRepeated = sql<boolean>`reference = any(${references}::text[])`;
  const recorded = await listed(ledger).where(isRepeated).select(['state', 'orderId']).execute();
  const byReference = new Map(recorded.map((credit) => [credit.reference, credit]));
  return credits.map(({ repeats, ...credit }) => Object.assign(credit, { repeats: byReference.get(repeats ?? '') ?? null }));
}

function listed(ledger: Ledger) {
  return ledger
    .selectFrom('credits')
    .select(['reference', 'receivedAt', 'bookedOn', 'iban', 'amount', 'currency', 'payer', 'remittance'])
    .select(['endToEndId', 'uetr', 'message', 'source']);
}

const awaitsDebitText =
  ', and awaits the debit of that; where it was for a recall and the bank does not take it, run `mintrail bank recalls undo RECALL --reason TEXT`';

/**
 * An unmatched credit, which stays as it is until the transaction ends where it is to be locked. Throws `not_found`, and `credit_not_unmatched`, which says
 * how it ended.
 */
export async function findWaitingCredit(ledger: Ledger, reference: string, lock?: 'lock'): Promise<WaitingCredit> {
  if (lock !== undefined) await sql`select from credits where reference = ${reference} for update`.execute(ledger);
  const [row] = await findStandings(ledger, [reference]);
  if (row === undefined) {
    const message = `There is no credit ${reference}; \`mintrail bank unmatched\` lists those that wait`;
    throw new StopError({ code: 'not_found', message });
  }
  if (row.state !== 'unmatched') {
    const ends = {
      matched: `became the order ${row.orderId}`,
      returned: `was returned already, at ${row.returnedAt?.toISOString()}${row.awaitsDebit ? awaitsDebitText : ''}`,
      replaced: 'was replaced by the transactions it consists of',
      reversed: 'was taken back by the bank',
      settled: `was settled already, at ${row.settledAt?.toISOString()}`,
      repeated: `is the money of ${row.repeats}`,
    };
    throw new StopError({ code: 'credit_not_unmatched', message: `The credit ${reference} ${ends[row.state]}` });
  }
  return row;
}

/** An unmatched credit. */
export type WaitingCredit = CreditStanding;

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
