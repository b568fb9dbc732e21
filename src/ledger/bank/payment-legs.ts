import { sql } from 'kysely';
import { nextReturnPaymentId, payoutPaymentIdOf } from '../derived-ids.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';

/** What was done and what is left to do for the payments to the bank. */
export interface PaymentDuties {
  /** Payments that were made of legs. */
  made: number;
  /** Whether there are payments that are not sent, whether or not they are due. */
  payments: boolean;
  /** Whether there are payment files that are not written. */
  files: boolean;
}

/**
 * Makes payments of at most `limit` legs that are ready: a payout to the account that the order names, a return to the payer of the
 * order's credit. Each leg becomes one payment and is `sent`, in one statement. Legs that another worker takes at the same
 * time are skipped. Says what else there is to do, by an index lookup for each: mostly there is nothing.
 *
 * What the payee reads: the structured reference, else the memo (docs/api.md, Placing an order); of a return, which payment it was.
 */
export async function makePaymentsOfLegs(ledger: Ledger, limit: number): Promise<PaymentDuties> {
  const { rows } = await sql<PaymentDuties>`
    with picked as (
      select l.id from (values ('payout'), ('return')) k (kind) cross join lateral (
        select id from open_legs where chain is null and kind = k.kind and signed_by = 'nobody' and state = 'ready' and held_until is null
        order by due_at limit ${limit} for update skip locked) l
      limit ${limit}
    ), moved as (
      update open_legs l set state = 'sent' from picked where l.id = any(array[picked.id]) and ${hiddenFromPlanner(sql`l.state = 'ready'`)}
      returning l.id, l.kind, l.order_id, l.currency, l.amount
    ), made as (
      insert into payments (id, kind, leg, credit, currency, amount, creditor_name, creditor_iban, creditor_country, creditor_address, remittance, structured_reference)
      select case m.kind when 'return' then ${nextReturnPaymentId(sql`c.reference`)} else ${payoutPaymentIdOf('o')} end, m.kind, m.id, c.reference, m.currency, m.amount,
        case m.kind when 'return' then coalesce(c.payer ->> 'name', '') else coalesce(
          nullif(o.counterpart #>> '{details,name}', ''), nullif(o.counterpart #>> '{details,companyName}', ''),
          concat_ws(' ', o.counterpart #>> '{details,firstName}', o.counterpart #>> '{details,lastName}')) end,
        coalesce(case m.kind when 'return' then c.payer ->> 'iban' else o.counterpart #>> '{identifier,iban}' end, ''),
        case m.kind when 'payout' then o.counterpart #>> '{details,country}' end,
        case m.kind when 'return' then c.payer -> 'postalAddress' else o.counterpart #> '{details,address}' end,
        case m.kind when 'return' then ${returnText('c')} else case when o.reference_number is null then o.memo end end,
        case m.kind when 'payout' then o.reference_number end
      from moved m join orders o on o.id = any(array[m.order_id]) left join credits c on c.order_id = any(array[m.order_id]) and m.kind = 'return'
      order by m.id
      returning id
    )
    select (select count(*)::int from made) as made,
      exists (select from made) or (select true from payments where state = 'ready' order by id limit 1) is true as payments,
      (select true from payment_files where written_at is null order by created_at limit 1) is true as files
  `.execute(ledger);
  return rows[0] as PaymentDuties;
}

/** What the payer of a returned credit reads; `credits` names the row. */
export function returnText(credits: string) {
  const row = sql.ref(credits);
  return sql`concat_ws(' ', 'Return of payment', ${row}.end_to_end_id, 'of ' || ${row}.booked_on)`;
}
