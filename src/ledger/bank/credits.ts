import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
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
  /** Never `replaced`: only a sum of a bank's file is, and no other credit has its reference. */
  state: Exclude<CreditState, 'replaced'>;
  orderId: string | null;
  chain: Chain | null;
  reason: string | null;
  /** False when this reference was known; the other fields then describe the first credit. */
  created: boolean;
}

/**
 * Records credits and, for each that is matched, its issue order with a leg: all of them or none, in one statement. A credit whose reference is
 * known changes nothing. Returns one result for each credit, in their order. Throws `import_busy` when a report replaced one of them just now.
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
        source, state, order_id, reason, rail_reason, entry_reference, entry_amount, is_awaited, repeats, facts, bank_account)
      select reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, uetr, booked_on, message,
        ${options.source}, case when unmatched is null then 'matched' else 'unmatched' end,
        case when unmatched is null then order_id end, unmatched, rail_reason, entry_reference, entry_amount, is_awaited, may_repeat, facts, bank_account
      from matched order by reference on conflict do nothing
      returning reference, state, order_id, reason, rail_reason, bank_account, booked_on, currency, amount
    ), ${placeCreditOrders(options)}, audited as (
      insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
      select m.actor_kind, m.actor, 'credit.report', 'credit', r.reference, coalesce(m.actor_correlation_id, m.correlation_id),
        jsonb_strip_nulls(jsonb_build_object('state', r.state, 'currency', r.currency, 'amount', r.amount, 'order_id', r.order_id,
          'application', m.actor_application))
      from recorded r join matched m on m.reference = r.reference where m.actor is not null
    ), ${bookEntries(sql`
      select case when c.rail_reason = any(${[...ownPaymentReasons]}::text[]) then 'payment-came-back' else 'credit' end as kind, c.reference as source, c.booked_on, ${bankAccountIn('c.bank_account')} as debit,
        case c.state when 'matched' then ${accounts.issue} else ${accounts.suspense} end as credit, c.currency, c.amount
      from recorded c where c.currency is not null and c.amount is not null`)}
    select r.reference, r.state, r.order_id, p.chain, r.reason from recorded r left join placed p on p.id = r.order_id
  `;
}

/**
 * Reads unmatched credits again from reports that say more, under the references that they have: with the facts of these reports, and as orders where that is
 * possible now. Returns one result for each, in their order. Throws `import_busy` when an operator has matched or returned one of them in the meantime.
 */
export async function clarifyCredits(ledger: Ledger, credits: NewCredit[], options: RecordOptions): Promise<RecordedCredit[]> {
  if (credits.length === 0) return [];
  const startedAt = Date.now();
  const { rows } = await sql<Omit<RecordedCredit, 'created'>>`
    ${matchCredits(credits, options)}, recorded as (
      update credits c set iban = m.iban, payer = m.payer, remittance = m.remittance, structured_reference = m.structured_reference,
        end_to_end_id = m.end_to_end_id, uetr = coalesce(m.uetr, c.uetr), message = m.message, rail_reason = m.rail_reason, facts = m.facts, repeats = m.may_repeat,
        entry_reference = coalesce(c.entry_reference, m.entry_reference), entry_amount = coalesce(c.entry_amount, m.entry_amount),
        state = case when m.unmatched is null then 'matched' else 'unmatched' end, order_id = case when m.unmatched is null then m.order_id end,
        reason = m.unmatched
      from matched m where c.reference = m.reference and c.state = 'unmatched' and c.amount = m.amount
      returning c.reference, c.state, c.order_id, c.reason, c.currency, c.amount
    ), ${placeCreditOrders(options)}, ${bookEntries(sql`
      select 'match' as kind, r.order_id::text as source, null::date as booked_on, ${accounts.suspense} as debit, ${accounts.issue} as credit, r.currency, r.amount
      from recorded r where r.state = 'matched'`)}
    select r.reference, r.state, r.order_id, p.chain, r.reason from recorded r left join placed p on p.id = r.order_id
  `.execute(ledger);
  ledger.wakeUps.add(...rows.flatMap(({ chain }) => (chain === null ? [] : [laneQueue(chain)])));
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  return credits.map(({ reference, correlationId }) => {
    const row = byReference.get(reference);
    if (row === undefined) throw changedCredit([reference]);
    if (row.orderId !== null) recordCreditOrder(startedAt, row.orderId, correlationId);
    return { ...row, created: true };
  });
}
