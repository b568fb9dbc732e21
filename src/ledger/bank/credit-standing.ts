import { sql } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import type { MinorUnits } from '../../platform/money.ts';
import type { CreditState, OrderState, PaymentState } from '../../schema/states.ts';
import type { Ledger } from '../ledger.ts';

/** What has become of a credit, by which an operator judges what ends or takes it back. */
export interface CreditStanding {
  reference: string;
  state: CreditState;
  amount: MinorUnits | null;
  currency: string | null;
  payer: Party;
  orderId: string | null;
  /** Of its order. */
  orderState: OrderState | null;
  /** Whose order it became. */
  holder: string | null;
  /** The payment that returns it, unless the bank refused that or it came back. */
  payment: string | null;
  paymentState: PaymentState | null;
  /** Whether an operator has marked it as returned, and the bank has booked no debit for that. */
  awaitsDebit: boolean;
  /** What debits have taken back of it. */
  takenBack: MinorUnits;
  /** Those debits. */
  debits: string[];
}

/** What has become of credits, by their references. Those that are not recorded are left out. */
export async function findStandings(ledger: Ledger, references: readonly string[]): Promise<CreditStanding[]> {
  const { rows } = await sql<CreditStanding>`
    select c.reference, c.state, c.amount, c.currency, c.payer, c.order_id, o.state as order_state, h.name as holder, p.id as payment, p.state as payment_state,
      c.awaits_debit, (select coalesce(sum(v.amount), 0)::bigint from reversals v where v.credit = c.reference) as taken_back,
      array(select v.debit from reversals v where v.credit = c.reference order by v.debit) as debits
    from credits c left join orders o on o.id = c.order_id left join profiles h on h.id = o.profile
      left join payments p on p.credit = c.reference and p.state in ('ready', 'sent', 'accepted')
    where c.reference = any(${references}::text[]) order by c.reference
  `.execute(ledger);
  return rows;
}
