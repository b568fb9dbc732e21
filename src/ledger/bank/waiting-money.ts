import { sql } from 'kysely';
import type { MinorUnits } from '../../platform/money.ts';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { canBeReversed } from './credit-standing.ts';
import { mostCounted, type Waiting } from '../most-counted.ts';
import { isContradicted } from './returns/contradicted-payouts.ts';
import { awaitedDebits } from './returns/not-booked-debits.ts';
import { untaken } from './recalls/recall-records.ts';

/**
 * The bank's money that waits for an operator: a `debit` that nobody has explained, an open `claim`, an unmatched `credit`, a credit or debit that is `awaited` in a
 * statement although those of the days after it are there, a `rejection` that does not say for certain that the payment will not be paid, one of a payment that the bank
 * had carried out, as it said (`contradiction`), a `recall` without an answer,
 * an accepted one whose money is `untaken`.
 */
const waitingKinds = ['debit', 'claim', 'credit', 'awaited', 'rejection', 'contradiction', 'recall', 'untaken'] as const;

/** One of these kinds. */
export type WaitingKind = (typeof waitingKinds)[number];

/** What waits of a kind: debits by account and currency, claims by currency, awaited credits by account. */
export interface WaitingMoney extends Waiting {
  kind: WaitingKind;
  /** Empty, as the currency, where the kind is not counted by it. */
  account: string;
  currency: string;
  /** What the debits come to, and what is not recovered of the claims. Minor units. */
  amount: MinorUnits;
  /** Why the oldest unmatched credit is. */
  reason: string | null;
}

/** Days after which a statement lists what was notified: lines of more days between are other money (docs/bank-files.md). */
const mostDaysAwaited = 5;

/** What waits of the bank's money, in the order of the kinds. Costs what waits, and the number of statements. */
export async function waitingMoney(ledger: Ledger): Promise<WaitingMoney[]> {
  const limit = limitHiddenFromPlanner(mostCounted.overdue + 1);
  const { rows } = await sql<WaitingMoney>`
    select kind, account, currency, count(*)::int as count, sum(amount)::bigint as amount, min(since) as since,
      (array_agg(reference order by due, reference))[1] as oldest, (array_agg(reason order by due, reference))[1] as reason
    from (
      select 'debit' as kind, account, currency, coalesce(amount, 0) as amount, received_at as since, received_at as due, reference, null as reason
        from bank_debits where state = 'unexplained'
      union all
      select 'claim', '', currency, amount - recovered, created_at, created_at, reversal, null from claims where state = 'open'
      union all (
        select 'credit', '', '', 0, received_at, received_at, reference, reason from credits where state = 'unmatched' order by received_at limit ${limit})
      union all
      select 'awaited', a.account, '', 0, c.received_at, c.booked_on, c.reference, null
        from (select account, max(closed_on) as closed_on from bank_documents where closed_on is not null group by account) a
        cross join lateral (
          select received_at, booked_on, reference from credits c
          where is_awaited and bank_account = a.account and booked_on <= a.closed_on - ${mostDaysAwaited}::integer
            and ${canBeReversed} and not exists (select from reversals v where v.credit = c.reference)
          order by booked_on limit ${limit}) c
      union all
      select 'awaited', a.account, '', 0, d.received_at, d.booked_on, d.reference, null
        from (select account, max(closed_on) - ${mostDaysAwaited}::integer as day from bank_documents where closed_on is not null group by account) a
        cross join lateral (${awaitedDebits(limit)}) d
      union all (
        select 'rejection', '', '', 0, bank_status_at, bank_status_at, id::text, null
        from payments where state = 'sent' and bank_status in ('RJCT', 'CANC') order by payments.bank_status_at, payments.id limit ${limit})
      union all (
        select 'contradiction', '', '', 0, bank_status_at, bank_status_at, id::text, null from payments p where ${isContradicted} order by p.bank_status_at, p.id limit ${limit})
      union all (
        select 'recall', '', '', 0, received_at, received_at, id::text, null from recalls where answer is null order by recalls.received_at, recalls.id limit ${limit})
      union all
      select 'untaken', '', '', 0, u.answered_at, u.answered_at, u.id::text, null from (${untaken} limit ${limit}) u
    ) w
    group by kind, account, currency order by array_position(${[...waitingKinds]}::text[], kind), account, currency
  `.execute(ledger);
  return rows;
}

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
