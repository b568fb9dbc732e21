import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { isUuid } from '../../../platform/uuid.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { creditsChanged, findStandings } from '../credit-standing.ts';
import { paymentsNamedBy, returnReason } from './own-payments.ts';
import { applyReturnedPayments, lockReturnedPayments, returnProblem, type ReturnedPayment } from './returned-payments.ts';

/** What matching an unmatched credit to a payment of ours does, for the operator to confirm. */
export type PaymentMatch = ReturnType<typeof planOf>;

/**
 * Reads what matching an unmatched credit to a payment would do, by default to the payment that it names. Throws `not_possible` with
 * the reason why it cannot be matched, also when the amounts differ and no payment is given.
 */
export async function planPaymentMatch(ledger: Ledger, reference: string, payment?: string): Promise<PaymentMatch> {
  return inTransaction(ledger, async (tx) => planOf(await lockMatch(tx, reference, payment)));
}

/**
 * Matches an unmatched credit to a payment as planned, once. Throws `import_busy` when the operator would add another amount than the
 * plan says, and else as {@link planPaymentMatch}. Returns the order that gives a payout's tokens back, or the credit that waits again.
 */
export async function matchToPayment(ledger: Ledger, { reference, payment, addedByOperator }: PaymentMatch) {
  return inTransaction(ledger, async (tx) => {
    const returned = await lockMatch(tx, reference, payment);
    if (planOf(returned).addedByOperator !== addedByOperator) throw creditsChanged([reference]);
    const [outcome] = await applyReturnedPayments(tx, [returned]);
    if (outcome?.orderId && outcome.chain) return { payment, orderId: outcome.orderId, chain: outcome.chain };
    return { payment, waitingCredit: returned.credit as string };
  });
}

async function lockMatch(tx: LedgerTransaction, reference: string, payment: string | undefined): Promise<ReturnedPayment> {
  const [credit] = await findStandings(tx, [reference]);
  if (credit?.state !== 'unmatched') throw stillUnmatched(reference, 'it changed just now; try again');
  const named = payment === undefined ? paymentsNamedBy(credit) : [payment];
  const [only] = named;
  if (only === undefined || named.length > 1 || !isUuid(only))
    throw stillUnmatched(reference, `it names no payment. ${await candidatesText(tx, credit)}`);
  const [returned] = await lockReturnedPayments(tx, [{ reference, payment: only, reason: returnReason(credit) }]);
  if (returned === undefined) throw stillUnmatched(reference, `there is no payment ${only}. ${await candidatesText(tx, credit)}`);
  const problem =
    (payment === undefined ? returnProblem(returned) : (returned.lastingProblem ?? undefined)) ?? (await restProblem(tx, returned));
  if (problem === undefined && returned.amount !== null && returned.currency !== null) return returned;
  const remedy =
    returned.lastingProblem === null && payment === undefined
      ? `. Name the payment to match it nevertheless, and to add what it lacks: --payment ${only}`
      : '';
  throw stillUnmatched(reference, `${problem ?? 'its amount is not known'}${returned.amount === null ? '' : remedy}`);
}

/** Why what a credit has more than its payment is not the operator's: it may be in one sum with other payments of the file. As a clause. */
async function restProblem(tx: LedgerTransaction, { reference, payment, amount, paid, currency, paidCurrency }: ReturnedPayment) {
  const rest = currency === paidCurrency && amount !== null ? amount - paid : 0n;
  if (rest <= 0n) return undefined;
  const { rows } = await sql<{ id: string }>`
    select o.id from payments p join payments o on o.file = p.file and o.id <> p.id and o.currency = p.currency
    where p.id = ${payment} and o.state in ('sent', 'accepted') and o.amount <= ${rest}::bigint
      and exists (select from report_money m join bank_reports r on r.id = m.report where m.credit = ${reference} and r.is_sum and r.entry_count is distinct from 1)
    order by o.id limit ${mostCandidates}
  `.execute(tx);
  if (rows.length === 0) return undefined;
  return `it may be a sum of several payments, such as ${rows.map(({ id }) => id).join(', ')} of the same file: name all that it brings back, --payment ID,ID`;
}

/** The operator adds what is missing in the currency of the payment, such as charges that were deducted, or keeps what remains (less than zero). Minor units. */
function planOf(returned: ReturnedPayment) {
  const { paid, paidCurrency } = returned;
  const [amount, currency] = [returned.amount as MinorUnits, returned.currency as string];
  const addedByOperator = minorUnits(paid - (currency === paidCurrency ? amount : 0n));
  return { ...returned, amount, currency, addedByOperator };
}

/** Payments that are shown as those which a credit may be. */
const mostCandidates = 5;

/** Payments that the bank has carried out and that a credit may bring back: of its amount, or somewhat more, the latest first. */
async function candidatesText(tx: LedgerTransaction, { amount, currency }: { amount: MinorUnits | null; currency: string | null }) {
  const { rows } = await sql<{ id: string; amount: MinorUnits; payee: string; decidedAt: Date }>`
    select id, amount, creditor_name as payee, decided_at from payments
    where state = 'accepted' and currency = ${currency} and amount between ${amount} and ${amount}::bigint + greatest(${amount}::bigint / 10, 5000)
      and decided_at > now() - interval '100 days'
    order by decided_at desc limit ${mostCandidates}
  `.execute(tx);
  if (rows.length === 0) return 'Find the payment with `mintrail payments list`, and name it with --payment ID';
  const lines = rows.map((row) => `${row.id} (${formatAmount(row.amount)} to ${row.payee}, ${row.decidedAt.toISOString().slice(0, 10)})`);
  return `It may be one of these payments: ${lines.join(', ')}; name it with --payment ID`;
}

function stillUnmatched(reference: string, why: string): StopError {
  return new StopError({ code: 'not_possible', message: `${reference} cannot be matched to a payment: ${why}` });
}
