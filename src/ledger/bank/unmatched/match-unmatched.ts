import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { StopError } from '../../../platform/errors.ts';
import { type Ledger, inTransaction, type LedgerTransaction } from '../../ledger.ts';
import { issueUnmatched, recordCredits } from '../credits.ts';
import { type CreditFacts, matchCredits, type RecordOptions, type NewCredit } from '../match-credits.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';
import { isMatchable, remediesOf } from './unmatched-remedies.ts';
import { lockImports } from '../bank-files.ts';
import { decidedReports, factsOfReports } from '../bank-reports.ts';
import { bookChargesAnew } from '../booked-charges.ts';
import { unusedReferences } from '../reported-credits.ts';
import { unlistOthers } from './repeat-credit.ts';
import { isOwnPayment, namedPayments } from '../returns/own-payments.ts';
import { bookUnderStatements } from '../statements/bank-statements.ts';

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

/** Reads what {@link matchCredit} would do. Throws `not_found`, `credit_not_unmatched` and `not_possible`. */
export async function planCreditMatch(ledger: Ledger, reference: string, options: RecordOptions): Promise<WaitingCredit & IssuePlan> {
  const credit = await matchableCredit(ledger, reference);
  return { ...credit, ...(await planIssue(ledger, credit, options)) };
}

/** Reads whom a credit would be issued to, if nothing but its account decided. */
export async function planIssue(ledger: Ledger, credit: CreditFacts, options: RecordOptions): Promise<IssuePlan> {
  const { rows } = await sql<IssuePlan>`
    ${matchCredits([credit], options)}
    select m.profile, p.name as holder, m.to_chain as chain, m.to_address as address, m.unmatched
    from matched m left join profiles p on p.id = m.profile
  `.execute(ledger);
  return rows[0] as IssuePlan;
}

/**
 * Matches an unmatched credit again and makes it an order, once, which it returns. Throws `not_found`, `credit_not_unmatched`,
 * `not_possible`, and `not_possible` with the reason when nothing has changed.
 */
export async function matchCredit(ledger: Ledger, reference: string, options: RecordOptions) {
  const credit = await matchableCredit(ledger, reference);
  const { orderId, chain } = (await issueUnmatched(ledger, [credit], options)).get(reference) ?? {};
  if (orderId && chain) return { reference, orderId, chain };
  // Throws when another operator has matched or returned it in the meantime.
  const { unmatched } = await planIssue(ledger, await findWaitingCredit(ledger, reference), options);
  const why = unmatched ?? 'it changed just now; try again';
  throw new StopError({ code: 'not_possible', message: `${reference} still cannot become an order: ${why}` });
}

async function matchableCredit(ledger: Ledger, reference: string): Promise<WaitingCredit> {
  const credit = await findWaitingCredit(ledger, reference);
  const { railReason, reason } = credit;
  if (isMatchable(railReason)) return credit;
  const message = `${reference} cannot become an order: ${reason}. ${remediesOf(railReason).join(', or ')}`;
  throw new StopError({ code: 'not_possible', message });
}

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
  /** The credit for whose money it was taken. */
  credit: string;
  isStated: boolean;
  statements: string[];
}

/** The last report with a reference that is known as the money of a credit which was made of another, unless a credit with it waits; that of a statement first. */
async function findReport(ledger: Ledger, reference: string): Promise<KnownReport | undefined> {
  const { rows } = await sql<KnownReport>`
    select r.id::text, r.credit, r.reference, r.amount, r.currency, r.facts -> 'payer' as payer, 'the money of ' || r.credit as taken_for,
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
  await bookChargesAnew(tx, report.credit, report.amount, options.source);
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
