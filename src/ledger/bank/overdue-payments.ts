import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** Where money on its way to the bank stands: a leg without a payment, a payment, a payment file that is not written, a payment that the bank has. */
export type PaymentStage = 'leg' | 'payment' | 'file' | 'bank';

/** When money on its way to the bank is overdue. */
export interface PaymentBounds {
  /** Seconds within which a leg becomes a payment, and a recorded file is written. */
  handlingSeconds: number;
  /** Seconds within which a payment is handed to the bank. */
  readySeconds: number;
  /** The bank has decided what it was sent before this time. */
  decidedBefore: Date;
}

/** Legs, payments or files of one stage that are overdue. */
export interface OverduePayments {
  stage: PaymentStage;
  count: number;
  /** When the oldest reached the stage. */
  since: Date;
  /** Id of the oldest leg's order or of the oldest payment; name of the oldest file. */
  oldest: string;
}

/** What should have gone on to the next stage on its way to the bank, by stage. */
export async function overduePayments(ledger: Ledger, bounds: PaymentBounds): Promise<OverduePayments[]> {
  const { rows } = await sql<OverduePayments>`
    select 'leg' as stage, count(*)::int as count, min(due_at) as since, (array_agg(order_id::text order by due_at))[1] as oldest
    from legs where state = 'ready' and kind in ('payout', 'return') and chain is null
      and due_at < now() - make_interval(secs => ${bounds.handlingSeconds})
    having count(*) > 0
    union all
    select 'payment', count(*)::int, min(created_at), (array_agg(id::text order by created_at))[1]
    from payments where state = 'ready' and created_at < now() - make_interval(secs => ${bounds.readySeconds})
    having count(*) > 0
    union all
    select 'file', count(*)::int, min(created_at), (array_agg(name order by created_at))[1]
    from payment_files where written_at is null and created_at < now() - make_interval(secs => ${bounds.handlingSeconds})
    having count(*) > 0
    union all
    select 'bank', count(*)::int, min(sent_at), (array_agg(id::text order by sent_at))[1]
    from payments where state = 'sent' and sent_at < ${bounds.decidedBefore}
    having count(*) > 0
  `.execute(ledger);
  return rows;
}
