import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { sourceOf } from './derived-references.ts';
import { ownPaymentReasons } from './returns/own-payments.ts';
import { recordCreditOrder } from '../orders/traces/order-spans.ts';
import { matchCredits, type NewCredit, placeCreditOrders, type RecordOptions } from './match-credits.ts';
import type { Ledger } from '../ledger.ts';
import { changedCredit } from './reported-credits.ts';
import { laneQueue } from '../wake-ups.ts';
import type { CreditState } from '../../schema/states.ts';

/** What the ledger has of a credit after it was reported; `reason` says why it is unmatched. */
export interface RecordedCredit {
  reference: string;
  /** Never `replaced`: a replaced credit has another reference. */
  state: Exclude<CreditState, 'replaced'>;
  orderId: string | null;
  chain: Chain | null;
  reason: string | null;
  /** False when this reference was known; the other fields then describe the first credit. */
  created: boolean;
}

/**
 * Records credits and, for each that is matched, its issue order with a leg: all of them or none, in one statement. A credit whose reference is
 * known changes nothing. Returns one result for each credit, in their order. Throws `credit_changed` when a report replaced one of them just now.
 */
export async function recordCredits(ledger: Ledger, credits: NewCredit[], options: RecordOptions): Promise<RecordedCredit[]> {
  const startedAt = Date.now();
  const inserted = await insertCredits(credits, options).execute(ledger);
  ledger.wakeUps.add(...inserted.rows.flatMap(({ chain }) => (chain === null ? [] : [laneQueue(chain)])));
  const byReference = new Map(inserted.rows.map((row) => [row.reference, { ...row, created: true }]));
  const known = credits.map((credit) => credit.reference).filter((reference) => !byReference.has(reference));
  for (const row of known.length > 0 ? await findCredits(ledger, known) : []) byReference.set(row.reference, { ...row, created: false });
  return credits.map(({ reference, correlationId }) => {
    const recorded = byReference.get(reference);
    if (recorded === undefined) throw changedCredit([reference]);
    if (recorded.created && recorded.orderId !== null) recordCreditOrder(startedAt, recorded.orderId, correlationId);
    byReference.set(reference, { ...recorded, created: false });
    return recorded;
  });
}

async function findCredits(ledger: Ledger, references: string[]): Promise<Omit<RecordedCredit, 'created'>[]> {
  return ledger
    .selectFrom('credits')
    .leftJoin('orders', 'orders.id', 'credits.orderId')
    .where('credits.reference', 'in', references)
    .where('credits.state', '!=', 'replaced')
    .select(['credits.reference', 'credits.orderId', 'orders.chain', 'credits.reason'])
    .select((eb) => eb.ref('credits.state').$castTo<RecordedCredit['state']>().as('state'))
    .execute();
}

/**
 * A conflict in any unique index means that the credit is known: two imports that record the same credit at once derive the same order id, and
 * PostgreSQL would report that as a duplicate if `reference` alone decided. The order of the references keeps two of them from waiting for each other.
 */
function insertCredits(credits: NewCredit[], options: RecordOptions) {
  return sql<Omit<RecordedCredit, 'created'>>`
    ${matchCredits(credits, options)}, recorded as (
      insert into credits (reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, uetr, booked_on, message,
        source, state, order_id, reason, rail_reason, entry_reference, entry_amount, is_sum, repeats, facts, bank_account)
      select reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, uetr, booked_on, message,
        ${options.source}, case when is_repeated then 'repeated' when unmatched is null then 'matched' else 'unmatched' end,
        case when unmatched is null then order_id end, unmatched, rail_reason, entry_reference, entry_amount, is_sum, repeats, facts, bank_account
      from matched order by reference on conflict do nothing
      returning reference, state, order_id, reason, rail_reason, bank_account, booked_on, currency, amount
    ), ${placeCreditOrders(options)}, audited as (
      insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
      select m."actorKind", m.actor, 'credit.report', 'credit', r.reference, coalesce(m."actorCorrelationId", m.correlation_id),
        jsonb_strip_nulls(jsonb_build_object('state', r.state, 'currency', r.currency, 'amount', r.amount, 'order_id', r.order_id,
          'application', m."actorApplication"))
      from recorded r join matched m on m.reference = r.reference where m.actor is not null
    ), ${bookEntries(sql`
      select case when c.rail_reason = any(${[...ownPaymentReasons]}::text[]) then 'payment-came-back' else 'credit' end as kind, ${sourceOf('credits', 'c.reference')} as source, c.booked_on, ${bankAccountIn('c.bank_account')} as debit,
        case c.state when 'matched' then ${accounts.issue} else ${accounts.suspense} end as credit, c.currency, c.amount
      from recorded c where c.state <> 'repeated' and c.currency is not null and c.amount is not null`)}
    select r.reference, r.state, r.order_id, p.chain, r.reason from recorded r left join placed p on p.id = r.order_id
  `;
}
