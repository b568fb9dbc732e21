import { type RawBuilder, type Selectable, sql } from 'kysely';
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
  /** What the bank has booked of it, after charges where it counts before them, or the other way round; and the rests that are in that. */
  booked: MinorUnits | null;
  rests: string[];
  /** The credit that its money counts as: itself, unless it is a repeat. */
  counts: string;
}

/** What has become of credits, by their references. Those that are not recorded are left out. */
export async function findStandings(ledger: Ledger, references: readonly string[]): Promise<CreditStanding[]> {
  const { rows } = await sql<CreditStanding>`
    select c.*, o.state as order_state, h.name as holder, p.id as payment, p.state as payment_state, b.credit as reopened,
      (select coalesce(sum(v.amount), 0)::bigint from reversals v where v.credit = c.reference) as taken_back,
      array(select v.debit from reversals v where v.credit = c.reference order by v.debit) as debits,
      ${bookedAmount} as booked, array(select r.reference from credits r where r.rest_of = c.reference and ${reversible('r')} order by r.reference) as rests,
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

/** Whether a credit can be taken back: it has not ended, or it brought a return back, whose payer has the money then, or it is a rest, which the operator has then. */
export function isReversible({ state, settledAs, restOf }: Pick<CreditStanding, 'state' | 'settledAs' | 'restOf'>): boolean {
  return (
    state === 'unmatched' ||
    state === 'matched' ||
    state === 'returned' ||
    settledAs === 'return' ||
    (state === 'settled' && restOf !== null)
  );
}

/** SQL: the same of a credit in a row. */
function reversible(row: string): RawBuilder<boolean> {
  const [state, settledAs, restOf] = ['state', 'settled_as', 'rest_of'].map((name) => sql.ref(`${row}.${name}`));
  return sql<boolean>`(${state} in ('unmatched', 'matched', 'returned') or ${settledAs} is not distinct from 'return' or (${state} = 'settled' and ${restOf} is not null))`;
}

/** SQL: the same of a credit `c`. */
export const canBeReversed = reversible('c');

/** SQL: whether a debit `k` of what the bank kept ends with its credit: nobody has explained it, or an operator as money of the operator's own. */
export const endsWithCredit = sql<boolean>`(k.state = 'unexplained' or (k.state = 'explained' and k.explained_as in ('fee', 'interest', 'own')))`;

/** SQL: what the bank has booked of the credit `c`, in minor units: less what it kept, and with the rests. */
export const bookedAmount = sql<MinorUnits>`(c.amount
  - (select coalesce(sum(k.amount), 0)::bigint from bank_debits k where k.kept_of = c.reference and ${endsWithCredit})
  + (select coalesce(sum(r.amount), 0)::bigint from credits r where r.rest_of = c.reference and ${reversible('r')}))`;

/** The error of credits that another transaction has changed at the same time. */
export function creditsChanged(references: readonly string[]): RetryError {
  const which = references.length === 1 ? 'The credit' : 'One of the credits';
  return new RetryError({ code: 'import_busy', message: `${which} ${references.join(', ')} was changed just now: try again` });
}
