import { sql } from 'kysely';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted, type Waiting } from '../most-counted.ts';

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

/** Legs, payments or files of one stage that are overdue: the oldest by the id of the leg's order or of the payment, or the name of the file. */
export interface OverduePayments extends Waiting {
  stage: PaymentStage;
}

/**
 * What should have gone on to the next stage on its way to the bank, by stage. Only what is first in each stage is looked at, so that it costs the same
 * with any number of them: ids of payments follow their creation, and the bank is sent the earliest first.
 */
export async function overduePayments(ledger: Ledger, bounds: PaymentBounds): Promise<OverduePayments[]> {
  const most = mostCounted.overdue + 1;
  const { rows } = await sql<OverduePayments>`
    select 'leg' as stage, count(*)::int as count, min(due_at) as since, (array_agg(order_id::text order by due_at))[1] as oldest
    from (values ('payout'), ('return')) k (kind) cross join lateral (
      select due_at, order_id from open_legs
      where chain is null and kind = k.kind and signed_by = 'nobody' and state = 'ready' and held_until is null and ${isLate('due_at', bounds.handlingSeconds)}
      order by due_at limit ${limitHiddenFromPlanner(most)}) l
    having count(*) > 0
    union all
    select 'payment', count(*)::int, min(created_at), (array_agg(id::text order by created_at))[1]
    from (select created_at, id from payments where state = 'ready' order by id limit ${limitHiddenFromPlanner(most)}) p
    where ${isLate('created_at', bounds.readySeconds)}
    having count(*) > 0
    union all
    select 'file', count(*)::int, min(created_at), (array_agg(name order by created_at))[1]
    from (select created_at, name from payment_files where written_at is null order by created_at limit ${limitHiddenFromPlanner(most)}) f
    where ${isLate('created_at', bounds.handlingSeconds)}
    having count(*) > 0
    union all
    select 'bank', count(*)::int, min(sent_at), (array_agg(id::text order by sent_at))[1]
    from (select sent_at, id from payments where state = 'sent' order by id limit ${limitHiddenFromPlanner(most)}) p
    where sent_at < ${bounds.decidedBefore}
    having count(*) > 0
  `.execute(ledger);
  return rows.map((overdue) => Object.assign(overdue, { count: Math.min(overdue.count, most) }));
}

function isLate(column: string, seconds: number) {
  return sql`${sql.ref(column)} < now() - make_interval(secs => ${seconds})`;
}
