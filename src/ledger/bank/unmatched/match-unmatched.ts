import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { StopError } from '../../../platform/errors.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import type { Ledger } from '../../ledger.ts';
import { laneQueue } from '../../wake-ups.ts';
import { matchCredits, type NewCredit, placeCreditOrders, type RecordOptions } from '../match-credits.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';
import { isMatchable, remediesOf } from './unmatched-remedies.ts';

/** Whom a credit would be issued to; or why it cannot become an order. */
export interface IssuePlan {
  profile: string | null;
  /** The name of that profile. */
  holder: string | null;
  chain: Chain | null;
  address: string | null;
  /** Why it still cannot become an order; null when it can. */
  unmatched: string | null;
}

/** The order that an unmatched credit would become. */
export interface CreditMatchPlan
  extends IssuePlan, Pick<WaitingCredit, 'reference' | 'amount' | 'currency' | 'payer' | 'railReason' | 'reason'> {}

/** Reads what {@link matchCredit} would do. Throws `not_found`, `credit_not_unmatched` and `not_possible`. */
export async function planCreditMatch(ledger: Ledger, reference: string, options: RecordOptions): Promise<CreditMatchPlan> {
  const waiting = await matchableCredit(ledger, reference);
  const { amount, currency, payer, railReason, reason } = waiting;
  return { reference, amount, currency, payer, railReason, reason, ...(await planIssue(ledger, creditOf(waiting), options)) };
}

/** Reads whom a credit would be issued to, if nothing but its account decided. */
export async function planIssue(ledger: Ledger, credit: NewCredit, options: RecordOptions): Promise<IssuePlan> {
  const { rows } = await sql<IssuePlan>`
    ${matchCredits([credit], options)}
    select m.profile, p.name as holder, m.to_chain as chain, m.to_address as address, m.unmatched
    from matched m left join profiles p on p.id = m.profile
  `.execute(ledger);
  return rows[0] as (typeof rows)[number];
}

/** A credit that was matched, and the order it became. */
export interface MatchedCredit {
  reference: string;
  orderId: string;
  chain: Chain;
}

/**
 * Matches an unmatched credit again and makes it an order, once. Throws `not_found`, `credit_not_unmatched`,
 * `not_possible`, and `not_possible` with the reason when nothing has changed.
 */
export async function matchCredit(ledger: Ledger, reference: string, options: RecordOptions): Promise<MatchedCredit> {
  const credit = await matchableCredit(ledger, reference);
  const { rows } = await matchUnmatched(creditOf(credit), options).execute(ledger);
  const [outcome] = rows;
  if (outcome?.orderId && outcome.chain) {
    ledger.wakeUps.add(laneQueue(outcome.chain));
    return { reference, orderId: outcome.orderId, chain: outcome.chain };
  }
  // Throws when another operator has matched or returned it in the meantime.
  await findWaitingCredit(ledger, reference);
  const why = outcome?.unmatched ?? 'it changed just now; try again';
  throw new StopError({ code: 'not_possible', message: `${reference} still cannot become an order: ${why}` });
}

async function matchableCredit(ledger: Ledger, reference: string) {
  const credit = await findWaitingCredit(ledger, reference);
  const { railReason, reason } = credit;
  if (isMatchable(railReason)) return credit;
  throw new StopError({
    code: 'not_possible',
    message: `${reference} cannot become an order: ${reason}. ${remediesOf(railReason).join(', or ')}`,
  });
}

function matchUnmatched(credit: NewCredit, options: RecordOptions) {
  return sql<{ orderId: string | null; chain: Chain | null; unmatched: string | null }>`
    ${matchCredits([credit], options)}, recorded as (
      update credits c set state = 'matched', order_id = m.order_id, reason = null
      from matched m
      where m.unmatched is null and c.reference = m.reference and c.state = 'unmatched' and c.amount = m.amount
      returning c.reference, c.order_id, c.currency, c.amount
    ), ${placeCreditOrders(options)}, ${bookEntries(sql`
      select 'match' as kind, r.order_id::text as source, null::date as booked_on, ${accounts.suspense} as debit, ${accounts.issue} as credit,
        r.currency, r.amount
      from recorded r`)}
    select r.order_id, p.chain, m.unmatched
    from matched m left join recorded r on r.reference = m.reference left join placed p on p.id = r.order_id
  `;
}

/** The credit as it was reported. */
export function creditOf({
  reference,
  bankAccount,
  payer,
  iban,
  currency,
  amount,
  remittance,
  structuredReference,
}: WaitingCredit): NewCredit {
  return {
    reference,
    bankAccount,
    payer,
    ...(iban !== null && { iban }),
    ...(currency !== null && { currency }),
    ...(amount !== null && { amount }),
    ...(remittance !== null && { remittance }),
    ...(structuredReference !== null && { structuredReference }),
  };
}
