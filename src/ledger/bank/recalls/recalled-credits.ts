import { sql } from 'kysely';
import type { BankRecall } from '../../../bank/recall.ts';
import { formatAmount } from '../../../platform/money.ts';
import type { Ledger } from '../../ledger.ts';
import { decidedReports } from '../bank-reports.ts';
import { type CreditStanding, findStandings } from '../credit-standing.ts';

/** What a recall and a credit that it may be about have in common. */
interface RecallFit {
  recall: string;
  reference: string;
  /**
   * The UETR names it, or the bank's number with its amount and day, and nothing contradicts. An EndToEndId is the payer's choice, and may be that of another payment,
   * as may a number of another day.
   */
  isNamed: boolean;
  /** The UETR names it. */
  hasUetr: boolean;
  /** It has another UETR than the recall or, where that is not the same, another EndToEndId. */
  isOtherPayment: boolean;
  /** It was booked too far from the settlement that the recall names, and the UETR is not the same. */
  isOtherDay: boolean;
}

/** A credit that a recall may be about. */
export type RecalledCredit = RecallFit & CreditStanding;

/** Credits of one recall at most: an EndToEndId may be that of every month's rent. */
const mostOfRecall = 5;

/** Booking days between a credit and the settlement that a recall names, at most, where the UETR is not the same. */
const daysApart = 5;

/** The credits that recalls may be about, those that the bank names before others, and then the newest. */
export async function findRecalledCredits(ledger: Ledger, recalls: readonly string[]): Promise<RecalledCredit[]> {
  const { rows } = await sql<RecallFit>`
    with asked as (select *, (facts ->> 'settledOn')::date as settled_on from recalls where id = any(${recalls}::uuid[])
    ), named as (
      select r.id, c.reference, true as has_uetr, true as is_named from asked r join credits c on c.uetr = r.uetr
      union all select r.id, b.credit, true, true from asked r join ${decidedReports} b on b.uetr = r.uetr
      union all select r.id, b.credit, false, coalesce(b.booked_on = r.settled_on, true) from asked r
        join ${decidedReports} b on b.number = any(r.numbers) and b.amount = r.amount and lower(b.currency) = r.currency
      union all select r.id, c.reference, false, false from asked r
        join credits c on hashtextextended(c.end_to_end_id, 0) = hashtextextended(r.end_to_end_id, 0) and c.end_to_end_id = r.end_to_end_id
        where coalesce(abs(c.booked_on - r.settled_on) <= ${daysApart}, true)
    ), money as (
      select n.id, case c.state when 'repeated' then c.repeats else c.reference end as reference, bool_or(n.has_uetr) as has_uetr, bool_or(n.is_named) as is_named
      from named n join credits c on c.reference = n.reference where c.state <> 'replaced' group by 1, 2
    ), judged as (
      select m.id, m.reference, m.has_uetr, m.is_named and (m.has_uetr or not is_other_payment) as is_named,
        not m.has_uetr and is_other_payment as is_other_payment, not m.has_uetr and is_other_day as is_other_day
      from money m join credits c on c.reference = m.reference join asked r on r.id = m.id
      cross join lateral (select coalesce(c.uetr <> r.uetr, false) or coalesce(lower(c.end_to_end_id) <> lower(r.end_to_end_id), false) as is_other_payment,
        coalesce(abs(c.booked_on - r.settled_on) > ${daysApart}, false) as is_other_day) contradiction
    ), ranked as (
      select m.*, row_number() over (partition by m.id order by m.is_named desc, c.amount = r.amount desc, c.booked_on desc nulls last, c.reference) as rank
      from judged m join credits c on c.reference = m.reference join asked r on r.id = m.id
    )
    select id as recall, reference, is_named, has_uetr, is_other_payment, is_other_day from ranked where rank <= ${mostOfRecall} order by id, rank
  `.execute(ledger);
  const references = rows.map(({ reference }) => reference);
  const byReference = new Map((await findStandings(ledger, references)).map((credit) => [credit.reference, credit]));
  return rows.flatMap((fit) => {
    const credit = byReference.get(fit.reference);
    return credit === undefined ? [] : [{ ...credit, ...fit }];
  });
}

/** Why the money of a credit cannot be given back for a recall; `undefined` when it can. */
export function whyNotGivenBack(credit: RecalledCredit, recall: BankRecall): string | undefined {
  const { amount, currency, state, payer } = credit;
  if (amount === null || currency === null) return 'its amount is not known';
  if (recall.amount === undefined) return 'the recall names no amount that can be read';
  // Banks on the way may have kept charges of the payment that is proven to be the same.
  const isLess = credit.hasUetr && amount < recall.amount;
  if ((amount !== recall.amount && !isLess) || currency !== recall.currency)
    return `it is over ${formatAmount(amount)} ${currency.toUpperCase()}, and the recall over ${formatAmount(recall.amount)} ${recall.currency?.toUpperCase() ?? ''}`;
  if (payer.iban !== undefined && recall.payerIban !== undefined && payer.iban !== recall.payerIban) return 'it came from another account';
  if (credit.isOtherPayment) return 'it has another UETR or EndToEndId than the recall names';
  if (credit.isOtherDay) return `it was booked on ${credit.bookedOn}, and the recalled payment was settled on ${recall.settledOn}`;
  if (credit.debits.length > 0) return 'the bank has taken it back already: refuse the recall with ARDT';
  if (state === 'returned' || credit.payment !== null) return 'it was returned already: refuse the recall with ARDT';
  return state === 'settled' ? 'it was settled' : undefined;
}
