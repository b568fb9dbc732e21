import { sql } from 'kysely';
import type { BankRecall, RecallRefusal } from '../../../bank/recall.ts';
import type { PaymentFile } from '../../../bank/rail.ts';
import { StopError } from '../../../platform/errors.ts';
import { minorUnits, formatAmount } from '../../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { payoutQueue } from '../../wake-ups.ts';
import { lockCredits } from '../claims/taken-back.ts';
import { leaveReturnToBank } from '../unmatched/return-credit.ts';
import { untakenRecalls } from './recall-records.ts';
import { decidedReports } from '../bank-reports.ts';
import { type CreditStanding, findStandings } from '../credit-standing.ts';

/** Bank days within which a bank has to answer a recall (SCT rulebook, Recall). Holidays count as bank days. */
const answerDays = 15;

/**
 * A recall that waits for an answer, or for the bank to take the money since it was accepted (`answeredAt`), with the credits that it may be about, and why the money of each
 * cannot be given back for it, if it cannot.
 */
export type OpenRecall = Awaited<ReturnType<typeof listRecalls>>[number];

/** The recalls that wait for an answer, and those that were accepted and whose money the bank has not taken, the oldest first; or `only` the one that waits with an id. */
export async function listRecalls(ledger: Ledger, limit: number, only?: string) {
  const untaken = only === undefined ? await untakenRecalls(ledger, limit) : [];
  const rows = await ledger
    .selectFrom('recalls')
    .where((eb) => eb.or([eb('answer', 'is', null), eb('id', '=', sql<string>`any(${untaken}::uuid[])`)]))
    .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
    .orderBy('receivedAt')
    .orderBy('id')
    .limit(limit)
    .select(['id', 'facts', 'source', 'receivedAt', 'answeredAt'])
    .execute();
  const ids = rows.map(({ id }) => id);
  const credits = await findRecalledCredits(ledger, ids);
  return rows.map(({ facts, ...row }) => {
    const recall = recallOf(facts);
    const own = credits.filter((credit) => credit.recall === row.id);
    const judged = own.map((credit) => Object.assign(credit, { problem: whyNotGivenBack(credit, recall) }));
    return Object.assign(row, { recall, answerBy: answerBy(row.receivedAt), credits: judged });
  });
}

/** A recall that waits for an answer. Throws `not_found`. */
export async function findOpenRecall(ledger: Ledger, id: string): Promise<OpenRecall> {
  const [open] = await listRecalls(ledger, 1, id);
  if (open !== undefined) return open;
  const row = await ledger.selectFrom('recalls').where('id', '=', id).select('answer').executeTakeFirst();
  const what = row === undefined ? `There is no recall ${id}` : `The recall ${id} is ${row.answer} already`;
  throw new StopError({ code: 'not_found', message: `${what}; \`mintrail bank recalls\` lists those that wait` });
}

/** What an operator answers: that the bank may take the money back, of `credit` where several are possible; or why not. */
export type RecallDecision = { kind: 'accepted'; credit: string | undefined } | { kind: 'refused'; code: RecallRefusal; text?: string };

/**
 * Answers a recall, once; the file that `compose` makes of it is recorded with the answer, and written by the common worker. Accepting it lets the bank
 * take the money back: an unmatched credit is returned by the debit that the bank then books; of one that became an order, that debit is a claim, as of any
 * credit that the bank takes back. Throws `not_found`, `not_possible`.
 */
export async function answerRecall(
  ledger: Ledger,
  {
    id,
    decision,
    operator,
    compose,
  }: { id: string; decision: RecallDecision; operator: string; compose: (recall: BankRecall) => PaymentFile },
) {
  return inTransaction(ledger, async (tx) => {
    await sql`select from recalls where id = ${id} for update`.execute(tx);
    const open = await findOpenRecall(tx, id);
    const credit = decision.kind === 'accepted' ? await giveBack(tx, open, decision.credit) : undefined;
    const { name, content } = compose(open.recall);
    await tx.insertInto('paymentFiles').values({ id, name, content }).execute();
    const reason = decision.kind === 'refused' ? [decision.code, decision.text].filter(Boolean).join(' ') : null;
    await sql`
      update recalls set answer = ${decision.kind}, reason = ${reason}, answered_by = ${operator}, answered_at = now(), credit = ${credit?.reference ?? null}
      where id = ${id}
    `.execute(tx);
    tx.wakeUps.add(payoutQueue);
    return { id, credit, file: name };
  });
}

/** Lets the bank take the money of the recalled credit back. */
async function giveBack(tx: LedgerTransaction, { id, credits }: OpenRecall, wanted: string | undefined) {
  const possible = credits.map(({ reference }) => reference);
  await lockCredits(tx, possible);
  // As they are now that nobody else changes them.
  const { reference, state, orderId } = acceptableCredit(await findOpenRecall(tx, id), wanted);
  const { rows } = await sql<{ id: string }>`select id from recalls where credit = ${reference} and undone_by is null`.execute(tx);
  if (rows[0] !== undefined)
    throw notAcceptable(id, `the recall ${rows[0].id} of the credit ${reference} was accepted already: refuse this one with ARDT`);
  if (state === 'unmatched') await leaveReturnToBank(tx, reference, id);
  return { reference, orderId };
}

/** The credit whose money can be given back for a recall: the `wanted` one, or the only one that is possible. Throws `not_possible`. */
export function acceptableCredit({ id, credits, recall }: OpenRecall, wanted: string | undefined): RecalledCredit {
  if (recall.isOfWholeMessage)
    throw notAcceptable(
      id,
      "it is of a whole message, and names no payment: refuse it (`--code NARR --text 'send a recall of each payment'`), and accept those",
    );
  const asked = credits.filter(({ reference }) => reference === (wanted ?? reference));
  const named = asked.filter(({ isNamed }) => isNamed);
  const [only, other] = (named.length > 0 ? named : asked).filter(({ problem }) => problem === undefined);
  if (other !== undefined) throw notAcceptable(id, 'it may be about several credits: name one with --credit');
  if (only !== undefined) return only;
  const [first] = asked;
  if (first !== undefined) throw notAcceptable(id, `of the credit ${first.reference}, ${first.problem ?? ''}`);
  throw notAcceptable(id, 'no such credit is known: refuse it with NOOR, or import the statement that has it');
}

/** The facts as they were read; JSON has no bigint. */
function recallOf({ amount, ...facts }: Omit<BankRecall, 'amount'> & { amount?: unknown }): BankRecall {
  return { ...facts, ...(typeof amount === 'string' && { amount: minorUnits(BigInt(amount)) }) };
}

/** The day by which a recall that came at a time is to be answered, `YYYY-MM-DD`. Saturdays and Sundays in UTC are no bank days. */
export function answerBy(receivedAt: Date): string {
  const day = new Date(receivedAt);
  for (let left = answerDays; left > 0;) {
    day.setUTCDate(day.getUTCDate() + 1);
    if (day.getUTCDay() !== 0 && day.getUTCDay() !== 6) left -= 1;
  }
  return day.toISOString().slice(0, 10);
}

function notAcceptable(id: string, why: string): StopError {
  return new StopError({ code: 'not_possible', message: `The recall ${id} cannot be accepted: ${why}` });
}

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
