import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockImports } from './bank-files.ts';
import { decidedReports, factsOfReports } from './bank-reports.ts';
import { recordCredits } from './credits.ts';
import type { NewCredit, RecordOptions } from './match-credits.ts';
import { unlistOthers } from './repeated-credits.ts';
import { unusedReferences } from './reported-credits.ts';
import { isOwnPayment, namedPayments } from './returns/own-payments.ts';
import { bookUnderStatements } from './statements/bank-statements.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched/unmatched-credits.ts';
import { type IssuePlan, matchCredit, planIssue } from './unmatched/match-unmatched.ts';

/** A line of the bank that was taken for something else than a customer's payment of its own. */
export interface MistakenLine extends Pick<WaitingCredit, 'reference' | 'amount' | 'currency' | 'payer'> {
  /** What it was taken for, as a clause. */
  takenFor: string;
}

/**
 * The line with a reference of the bank: an unmatched credit, else the last report of it that was taken for the money of another credit. Throws `not_found`, and
 * `credit_not_unmatched` where it is that credit.
 */
export async function findMistakenLine(ledger: Ledger, reference: string): Promise<KnownReport | (WaitingCredit & MistakenLine)> {
  const report = await findReport(ledger, reference);
  if (report !== undefined) return report;
  const credit = await findWaitingCredit(ledger, reference);
  return { ...credit, takenFor: `unmatched: ${credit.reason}` };
}

/** Reads whom {@link matchAgain} would issue a line to. Throws as {@link findMistakenLine}, and `not_possible` where the credit names a payment of ours. */
export async function planMatchAgain(
  ledger: Ledger,
  { reference, iban }: { reference: string; iban?: string | undefined },
  options: RecordOptions,
): Promise<MistakenLine & IssuePlan> {
  const line = await findMistakenLine(ledger, reference);
  const credit = 'state' in line ? await withoutPayment(ledger, line) : await factsOf(ledger, line);
  return { ...line, ...(await planIssue(ledger, { ...credit, ...(iban !== undefined && { iban }) }, options)) };
}

/**
 * Makes an order of a line of the bank, once, although it was taken for something else: a report that was taken for the money of another credit becomes a credit of its
 * own, and stays one whatever is reported later; an unmatched credit is matched against any reason. Waits until no import runs. Throws as {@link findMistakenLine},
 * `not_possible` where the credit names a payment of ours or still cannot become an order: nothing changes then. `iban` is the customer's account that it is for, where
 * the bank names none or another, and `reason` how the operator knows.
 */
export async function matchAgain(
  ledger: Ledger,
  { reference, iban, reason }: { reference: string; iban?: string | undefined; reason: string },
  options: RecordOptions,
) {
  return inTransaction(ledger, async (tx) => {
    // An import must not decide again what the line is meanwhile.
    await lockImports(tx);
    const report = await findReport(tx, reference);
    const credit = report === undefined ? reference : await separate(tx, report, options);
    await withoutPayment(tx, await findWaitingCredit(tx, credit, 'lock'));
    await sql`
      update credits set rail_reason = null, repeats = null, iban = coalesce(${iban ?? null}, iban), matched_because = ${reason} where reference = ${credit}
    `.execute(tx);
    return matchCredit(tx, credit, options);
  });
}

interface KnownReport extends MistakenLine {
  id: string;
  isStated: boolean;
  statements: string[];
}

/** The last report with a reference that is known as the money of a credit which was made of another, unless a credit with it waits; that of a statement first. */
async function findReport(ledger: Ledger, reference: string): Promise<KnownReport | undefined> {
  const { rows } = await sql<KnownReport>`
    select r.id::text, r.reference, r.amount, r.currency, r.facts -> 'payer' as payer, 'the money of ' || r.credit as taken_for,
      o.kind = 'statement' as is_stated, o.statements
    from ${decidedReports} r join bank_documents o on o.id = r.document
    where r.reference = ${reference} and r.credit is not null and not r.is_first
      and not exists (select from credits where reference = ${reference} and state = 'unmatched')
    order by is_stated desc, r.id desc limit 1
  `.execute(ledger);
  return rows[0];
}

/** What a report says of its money itself, whatever the reader of its file made of it. */
async function factsOf(ledger: Ledger, { id }: KnownReport): Promise<NewCredit> {
  const { unmatched: _, ...facts } = (await factsOfReports<NewCredit>(ledger, [id])).get(id) as NewCredit;
  return facts;
}

/** Records a report as a credit of its own, which waits to be matched. Returns the reference of that. */
async function separate(tx: LedgerTransaction, report: KnownReport, options: RecordOptions): Promise<string> {
  const facts = await factsOf(tx, report);
  const wanted = { reference: facts.reference, bookedOn: facts.bookedOn ?? null };
  const [reference] = (await unusedReferences(tx, 'credits', [wanted])) as [string];
  await unlistOthers(tx, facts.reference);
  const waiting = { railReason: 'suspected_repeat', unmatched: `it was taken for ${report.takenFor}` };
  const credit = { ...facts, ...waiting, reference, isAwaited: !report.isStated };
  await bookUnderStatements(tx, report.statements.join(','), () => recordCredits(tx, [credit], options));
  await sql`update report_money set credit = ${reference}, is_first = true, is_pinned = true where report = ${report.id}::bigint`.execute(
    tx,
  );
  return reference;
}

/** Throws `not_possible` for a payment of ours that came back and names which one it is: its money is given back by that. */
async function withoutPayment(ledger: Ledger, credit: WaitingCredit): Promise<WaitingCredit> {
  const [payment] = isOwnPayment(credit.railReason) ? await namedPayments(ledger, credit) : [];
  if (payment === undefined) return credit;
  const { reference } = credit;
  const message = `${reference} names the payment ${payment.id} of ours: match it to that, by \`mintrail bank match ${reference}\``;
  throw new StopError({ code: 'not_possible', message });
}
