import { sql } from 'kysely';
import type { BankRecall, RecallRefusal } from '../../../bank/recall.ts';
import type { PaymentFile } from '../../../bank/rail.ts';
import { StopError } from '../../../platform/errors.ts';
import { minorUnits } from '../../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { payoutQueue } from '../../wake-ups.ts';
import { lockCredits } from '../claims/locked-credit.ts';
import { leaveReturnToBank } from '../unmatched/return-credit.ts';
import { findRecalledCredits, type RecalledCredit, whyNotGivenBack } from './recalled-credits.ts';
import { untakenRecalls } from './untaken-recalls.ts';

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

/** An answered recall: the credit whose money the bank may take back, with its order, and the name of the file. */
export type AnsweredRecall = Awaited<ReturnType<typeof answerRecall>>;

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
    await tx.selectFrom('recalls').where('id', '=', id).select('id').forUpdate().execute();
    const open = await findOpenRecall(tx, id);
    const credit = decision.kind === 'accepted' ? await giveBack(tx, open, decision.credit) : undefined;
    const { name, content } = compose(open.recall);
    await tx.insertInto('paymentFiles').values({ id, name, content }).execute();
    await tx
      .updateTable('recalls')
      .set({ answer: decision.kind, answeredBy: operator, answeredAt: sql`now()`, credit: credit?.reference ?? null })
      .set({ reason: decision.kind === 'refused' ? [decision.code, decision.text].filter(Boolean).join(' ') : null })
      .where('id', '=', id)
      .execute();
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
  const other = await tx
    .selectFrom('recalls')
    .where('credit', '=', reference)
    .where('undoneBy', 'is', null)
    .select('id')
    .executeTakeFirst();
  if (other !== undefined)
    throw notAcceptable(id, `the recall ${other.id} of the credit ${reference} was accepted already: refuse this one with ARDT`);
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
