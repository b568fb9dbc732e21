import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { ownPaymentReasons } from './returns/own-payments.ts';
import { recordCreditOrder } from '../orders/traces/order-spans.ts';
import { type CreditFacts, matchCredits, type NewCredit, placeCreditOrders, type RecordOptions } from './match-credits.ts';
import type { Ledger } from '../ledger.ts';
import { creditsChanged } from './credit-standing.ts';
import { laneQueue } from '../wake-ups.ts';
import type { CreditState } from '../../schema/states.ts';
import type { Actor } from '../../platform/acting.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { groupCalls } from '../../platform/limits/grouped-calls.ts';

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
 *
 * A conflict in any unique index means that the credit is known: two imports that record the same credit at once derive the same order id, and
 * PostgreSQL would report that as a duplicate if `reference` alone decided. The order of the references keeps two of them from waiting for each other.
 */
export async function recordCredits(ledger: Ledger, credits: NewCredit[], options: RecordOptions): Promise<RecordedCredit[]> {
  const added = await writeCredits(ledger, credits, options, {
    write: sql`
      insert into credits as c (reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, uetr, booked_on, message,
        source, state, order_id, reason, rail_reason, entry_reference, entry_amount, is_awaited, repeats, facts, bank_account)
      select reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, uetr, booked_on, message,
        ${options.source}, case when unmatched is null then 'matched' else 'unmatched' end,
        case when unmatched is null then order_id end, unmatched, rail_reason, entry_reference, entry_amount, is_awaited, may_repeat, facts, bank_account
      from matched order by reference on conflict do nothing`,
    entries: sql`
      select case when rail_reason = any(${[...ownPaymentReasons]}::text[]) then 'payment-came-back' else 'credit' end as kind, reference as source, booked_on,
        ${bankAccountIn('bank_account')} as debit, case state when 'matched' then ${accounts.issue} else ${accounts.suspense} end as credit, currency, amount
      from recorded where currency is not null and amount is not null`,
  });
  const known = credits.flatMap(({ reference }) => (added.has(reference) ? [] : [reference]));
  const recorded = new Map([...added, ...(known.length > 0 ? await findCredits(ledger, known) : [])]);
  return credits.map(({ reference }) => ({ ...writtenOf(recorded, reference), created: added.delete(reference) }));
}

async function findCredits(ledger: Ledger, references: string[]): Promise<WrittenCredits> {
  const { rows } = await sql<Omit<RecordedCredit, 'created'>>`
    select c.reference, c.state, c.order_id, o.chain, c.reason from credits c left join orders o on o.id = c.order_id
    where c.reference = any(${references}::text[]) and c.state <> 'replaced'
  `.execute(ledger);
  return new Map(rows.map((row) => [row.reference, row]));
}

/**
 * Reads unmatched credits again from reports that say more, under the references that they have: with the facts of these reports, and as orders where that is
 * possible now. Returns one result for each, in their order. Throws `import_busy` when an operator has matched or returned one of them in the meantime.
 */
export async function clarifyCredits(ledger: Ledger, credits: NewCredit[], options: RecordOptions): Promise<RecordedCredit[]> {
  if (credits.length === 0) return [];
  const clarified = await writeCredits(ledger, credits, options, {
    write: sql`
      update credits c set iban = m.iban, payer = m.payer, remittance = m.remittance, structured_reference = m.structured_reference,
        end_to_end_id = m.end_to_end_id, uetr = coalesce(m.uetr, c.uetr), message = m.message, rail_reason = m.rail_reason, facts = m.facts, repeats = m.may_repeat,
        entry_reference = coalesce(c.entry_reference, m.entry_reference), entry_amount = coalesce(c.entry_amount, m.entry_amount),
        state = case when m.unmatched is null then 'matched' else 'unmatched' end, order_id = case when m.unmatched is null then m.order_id end,
        reason = m.unmatched
      from matched m where c.reference = m.reference and c.state = 'unmatched' and c.amount = m.amount`,
    entries: toIssue,
  });
  return credits.map(({ reference }) => ({ ...writtenOf(clarified, reference), created: true }));
}

/** Makes orders of unmatched credits, as far as these facts of them allow that. Returns those. */
export async function issueUnmatched(ledger: Ledger, credits: readonly CreditFacts[], options: RecordOptions): Promise<WrittenCredits> {
  return writeCredits(ledger, credits, options, {
    write: sql`
      update credits c set state = 'matched', order_id = m.order_id, reason = null
      from matched m where m.unmatched is null and c.reference = m.reference and c.state = 'unmatched' and c.amount = m.amount`,
    entries: toIssue,
  });
}

/** SQL: the money of known credits that are matched now. */
const toIssue = sql`
  select 'match' as kind, order_id::text as source, null::date as booked_on, ${accounts.suspense} as debit, ${accounts.issue} as credit, currency, amount
  from recorded where state = 'matched'`;

/** By their references. */
type WrittenCredits = Map<string, Omit<RecordedCredit, 'created'>>;

/** Writes credits in one statement with their orders and the `entries` of the book: `write` inserts or updates those of `matched`, as `c`. */
async function writeCredits(
  ledger: Ledger,
  credits: readonly CreditFacts[],
  options: RecordOptions,
  { write, entries }: { write: RawBuilder<unknown>; entries: RawBuilder<unknown> },
): Promise<WrittenCredits> {
  const startedAt = Date.now();
  const { rows } = await sql<Omit<RecordedCredit, 'created'> & { correlationId: string | null }>`
    ${matchCredits(credits, options)}, recorded as (${write} returning c.*), ${placeCreditOrders(options)}, audited as (
      insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
      select m.actor_kind, m.actor, 'credit.report', 'credit', r.reference, coalesce(m.actor_correlation_id, m.correlation_id),
        jsonb_strip_nulls(jsonb_build_object('state', r.state, 'currency', r.currency, 'amount', r.amount, 'order_id', r.order_id,
          'application', m.actor_application))
      from recorded r join matched m on m.reference = r.reference where m.actor is not null
    ), ${bookEntries(entries)}
    select r.reference, r.state, r.order_id, p.chain, r.reason, m.correlation_id
    from recorded r join matched m on m.reference = r.reference left join placed p on p.id = r.order_id
  `.execute(ledger);
  ledger.wakeUps.add(...rows.flatMap(({ chain }) => (chain === null ? [] : [laneQueue(chain)])));
  for (const { orderId, correlationId } of rows) if (orderId !== null) recordCreditOrder(startedAt, orderId, correlationId);
  return new Map(rows.map(({ reference, state, orderId, chain, reason }) => [reference, { reference, state, orderId, chain, reason }]));
}

function writtenOf(written: WrittenCredits, reference: string): Omit<RecordedCredit, 'created'> {
  const credit = written.get(reference);
  if (credit === undefined) throw creditsChanged([reference]);
  return credit;
}

/** Credits of one group: as many as of one block of a file. */
const largestGroup = 500;

/** Credits that wait at most: a second's work. */
const mostWaiting = 2_000;

/** A credit that arrives by itself, and who reports it: null when that is nobody whom the audit log names. */
export type SingleCredit = NewCredit & { reportedBy: Actor | null };

/**
 * Records credits that arrive one by one in groups: those that arrive while one group is recorded are the next one. A group is one statement, and one
 * commit. A killed process has recorded it whole or not at all. Throws `rate_limited` when too many wait, and `import_busy` when a report replaced one just now.
 */
export function createCreditRecorder(ledger: Ledger, options: RecordOptions): (credit: SingleCredit) => Promise<RecordedCredit> {
  return groupCalls((credits: SingleCredit[]) => recordCredits(ledger, credits, options), {
    mostItems: largestGroup,
    mostWaiting,
    concernsAll: isDatabaseOutage,
  });
}
