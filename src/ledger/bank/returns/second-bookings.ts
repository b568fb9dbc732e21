import { type RawBuilder, sql } from 'kysely';
import { isBookedByDebit } from '../debits/payment-file-debits.ts';

/** A debit by which the bank may have booked a payment that another debit has booked. */
export interface SecondBooking {
  debit: string;
  isExplained: boolean;
  /** Whether it is of the same money as what came back. */
  isSameMoney: boolean;
  /** Whether statements list both bookings: else they may be two reports of one. */
  isListed: boolean;
}

/** SQL: whether a statement lists the debit with this reference. */
function isListed(reference: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from report_money m join bank_reports r on r.id = m.report join bank_documents o on o.id = r.document
    where m.debit = ${sql.ref(reference)} and o.kind = 'statement')`;
}

const endToEndId = sql`replace(p.id::text, '-', '')`;

/** SQL: the {@link SecondBooking}s of the payment `p`, of which the credit `c` may undo one, as JSON. An operator who took one for money of the operator's own may not have known. */
export const secondBookings = sql<SecondBooking[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('debit', s.reference, 'isExplained', s.state = 'explained',
    'isSameMoney', s.amount = c.amount and s.currency = c.currency,
    'isListed', ${isListed('s.reference')} and ${isBookedByDebit(isListed('d.reference'))}) order by s.reference), '[]')
  from (
    select * from bank_debits where end_to_end_id in (${endToEndId}, upper(${endToEndId})) and state in ('unexplained', 'explained')
    union all select * from bank_debits where payment_file = p.file and state in ('unexplained', 'explained')
  ) s
  where coalesce(s.explained_as in ('fee', 'interest', 'own'), true) and ${isBookedByDebit()})`;
