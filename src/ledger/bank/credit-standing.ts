import { type Selectable, sql } from 'kysely';
import { RetryError } from '../../platform/errors.ts';
import type { MinorUnits } from '../../platform/money.ts';
import type { OrderState, PaymentState } from '../../schema/states.ts';
import type { LedgerTables } from '../../schema/tables.ts';
import type { Ledger } from '../ledger.ts';

/** A credit, and what has become of it, by which what ends or takes it back is judged. */
export interface CreditStanding extends Selectable<LedgerTables['credits']> {
  /** Of its order. */
  orderState: OrderState | null;
  /** Whose order it became. */
  holder: string | null;
  /** The payment that returns it, unless the bank refused that or it came back. */
  payment: string | null;
  paymentState: PaymentState | null;
  /** The credit that waits again because this one brought its return back. */
  reopened: string | null;
  /** What debits have taken back of it. */
  takenBack: MinorUnits;
  /** Those debits. */
  debits: string[];
  /** The credit that its money counts as: itself, unless it is a repeat. */
  counts: string;
}

/** What has become of credits, by their references. Those that are not recorded are left out. */
export async function findStandings(ledger: Ledger, references: readonly string[]): Promise<CreditStanding[]> {
  const { rows } = await sql<CreditStanding>`
    select c.*, o.state as order_state, h.name as holder, p.id as payment, p.state as payment_state, b.credit as reopened,
      (select coalesce(sum(v.amount), 0)::bigint from reversals v where v.credit = c.reference) as taken_back,
      array(select v.debit from reversals v where v.credit = c.reference order by v.debit) as debits,
      case c.state when 'repeated' then c.repeats else c.reference end as counts
    from credits c left join lateral (select state, profile from orders where id = c.order_id offset 0) o on true
      left join lateral (select name from profiles where id = o.profile offset 0) h on true
      left join lateral (select id, state from payments where credit = c.reference and state in ('ready', 'sent', 'accepted') offset 0) p on true
      left join lateral (select credit from payments where came_back_by = c.reference and c.settled_as = 'return' offset 0) b on true
    where c.reference = any(${references}::text[]) order by c.reference
  `.execute(ledger);
  return rows;
}

/** A credit with its money where a debit can take all of it back; undefined where it has ended, something of it was taken back, or its amount is not known. */
export function wholeCredit(credit: CreditStanding | undefined) {
  const { amount = null, currency = null } = credit ?? {};
  if (credit === undefined || !isReversible(credit) || credit.debits.length > 0 || amount === null || currency === null) return undefined;
  return { ...credit, amount, currency };
}

/** Whether a credit can be taken back: it has not ended, or it brought a return back, whose payer has the money then. */
export function isReversible({ state, settledAs }: Pick<CreditStanding, 'state' | 'settledAs'>): boolean {
  return state === 'unmatched' || state === 'matched' || state === 'returned' || settledAs === 'return';
}

/** SQL: the same of a credit `c`. */
export const canBeReversed = sql<boolean>`(c.state in ('unmatched', 'matched', 'returned') or c.settled_as is not distinct from 'return')`;

/** The error of credits that another transaction has changed at the same time. */
export function creditsChanged(references: readonly string[]): RetryError {
  const which = references.length === 1 ? 'The credit' : 'One of the credits';
  return new RetryError({ code: 'import_busy', message: `${which} ${references.join(', ')} was changed just now: try again` });
}
