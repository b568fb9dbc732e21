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
  const handled = secondsAgo(bounds.handlingSeconds);
  const limit = limitHiddenFromPlanner(most);
  const { rows } = await sql<OverduePayments>`
    select stage, count(*)::int as count, min(since) as since, (array_agg(name order by since))[1] as oldest
    from (
      select 'leg' as stage, l.due_at as since, l.order_id::text as name from (values ('payout'), ('return')) k (kind) cross join lateral (
        select due_at, order_id from open_legs
        where chain is null and kind = k.kind and signed_by = 'nobody' and state = 'ready' and held_until is null order by due_at limit ${limit}) l
      union all (select 'payment', created_at, id::text from payments where state = 'ready' order by payments.id limit ${limit})
      union all (select 'file', created_at, name from payment_files where written_at is null order by payment_files.created_at limit ${limit})
      union all (select 'bank', sent_at, id::text from payments where state = 'sent' order by payments.id limit ${limit})
    ) first join (values ('leg', 1, ${handled}), ('payment', 2, ${secondsAgo(bounds.readySeconds)}), ('file', 3, ${handled}), ('bank', 4, ${bounds.decidedBefore}))
      late (stage, position, before) using (stage)
    where since < before group by stage, position order by position
  `.execute(ledger);
  return rows.map((overdue) => Object.assign(overdue, { count: Math.min(overdue.count, most) }));
}

function secondsAgo(seconds: number) {
  return sql`now() - make_interval(secs => ${seconds})`;
}
