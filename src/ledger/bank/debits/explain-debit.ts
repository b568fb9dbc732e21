import { sql } from 'kysely';
import { formatAmount, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { bookEntries, recordEntries } from '../../book/entries.ts';
import { asDifferences } from './bank-debits.ts';
import { type CreditStanding, findStandings, isReversible } from '../credit-standing.ts';
import { endToEndIdOf } from '../../end-to-end-id.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { lockCredits } from '../claims/locked-credit.ts';
import { assertLeft } from '../claims/spent-money.ts';
import { claimPart, takeCreditsBack } from '../claims/taken-back.ts';
import { explanationWrong, type Explanation } from './debit-explanation.ts';
import { assertSameMoney, type DebitMoney } from './repeated-debits.ts';
import { bookUnderStatements, listWith } from '../statements/bank-statements.ts';
import { findUnexplainedDebit } from './unexplained-debits.ts';
import { lockPayments, settleBookedDebits } from '../payments.ts';

/**
 * An operator says what a debit was, once, and it leaves the differences; and its `amount`, where the bank's cannot be read. A payment is settled as if the bank had named it. Amount and currency
 * must be those of the payment or of the credit. Throws `not_found`, `not_possible` and `bad_input`.
 */
export async function explainDebit(
  ledger: Ledger,
  reference: string,
  {
    explanation,
    reason,
    operator,
    amount,
    currency: named,
  }: { explanation: Explanation; reason: string; operator: string; amount?: MinorUnits | undefined; currency?: string | undefined },
): Promise<DebitMoney> {
  return inTransaction(ledger, async (tx) => {
    await lockExplaining(tx, explanation);
    if (amount !== undefined) await nameAmount(tx, reference, { amount, currency: named });
    const { account, currency, bookedOn, amount: booked } = await findUnexplainedDebit(tx, reference, 'lock');
    if (booked === null) throw explanationWrong('its amount cannot be read: name it as well, by `--amount`');
    const debit = { reference, account, currency, amount: booked, bookedOn };
    if (explanation.as === 'return-of') await assertReturned(tx, debit, explanation.credit);
    await tx
      .updateTable('bankDebits')
      .set({ state: 'explained', explainedAs: explanation.as, explanation: reason, explainedBy: operator })
      .set({ explainedAt: sql`now()`, problem: null })
      .set({
        ...(explanation.as === 'payment' && { payment: explanation.payments[0], morePayments: explanation.payments.slice(1) }),
        ...(explanation.as === 'return-of' && { returnedCredit: explanation.credit }),
        ...(explanation.as === 'repeat-of' && { repeats: [...explanation.debits] }),
      })
      .where('reference', '=', reference)
      .where('state', '=', 'unexplained')
      .execute();
    await bookExplanation(tx, debit, explanation);
    return debit;
  });
}

/** An operator says what an unreadable debit was over: it is a difference in the book from then on. Throws `bad_input` for one whose amount is known, or whose currency is not. */
async function nameAmount(
  tx: LedgerTransaction,
  reference: string,
  { amount, currency: named }: { amount: MinorUnits; currency: string | undefined },
): Promise<void> {
  const debit = await tx
    .selectFrom('bankDebits')
    .where('reference', '=', reference)
    .where('amount', 'is', null)
    .where('state', '=', 'unexplained')
    .select('currency')
    .forUpdate()
    .executeTakeFirst();
  if (debit === undefined) throw explanationWrong(`its amount is known, and ${formatAmount(amount)} cannot replace it`);
  const currency = debit.currency === '' ? named : debit.currency;
  if (currency === undefined) throw explanationWrong('the bank gave it no currency: name that as well, by `--currency`');
  if (named !== undefined && named !== currency)
    throw explanationWrong(`it is in ${currency.toUpperCase()}, and not in ${named.toUpperCase()}`);
  await bookUnderStatements(tx, await statementsOf(tx, reference), () =>
    sql`
      with named as (update bank_debits set amount = ${amount}, currency = ${currency} where reference = ${reference} returning *), ${bookEntries(asDifferences('named'))}
      select
    `.execute(tx),
  );
}

/** The statements that list a debit, with commas between them. */
async function statementsOf(tx: LedgerTransaction, debit: string): Promise<string> {
  const { rows } = await sql<{ statements: string[] }>`
    select o.statements from report_money m join bank_reports r on r.id = m.report join bank_documents o on o.id = r.document where m.debit = ${debit}
  `.execute(tx);
  return [...new Set(rows.flatMap(({ statements }) => statements))].join(',');
}

/** Locks what explains a debit before the debit itself, in the order of all locks (docs/architecture.md, Row locks). */
async function lockExplaining(tx: LedgerTransaction, explanation: Explanation): Promise<void> {
  if (explanation.as === 'payment') {
    const known = await lockPayments(tx, explanation.payments);
    const unknown = explanation.payments.find((id) => !known.has(id));
    if (unknown !== undefined) throw explanationWrong(`there is no payment ${unknown}`);
  }
  if (explanation.as === 'return-of') await sql`select from credits where reference = ${explanation.credit} for update`.execute(tx);
  if (explanation.as === 'reversal-of') await lockCredits(tx, explanation.credits);
  if (explanation.as === 'repeat-of')
    await sql`select from bank_debits where reference = any(${explanation.debits}::text[]) order by reference for update`.execute(tx);
}

async function bookExplanation(tx: LedgerTransaction, debit: DebitMoney, explanation: Explanation): Promise<void> {
  const { reference, account, currency, amount, bookedOn } = debit;
  if (explanation.as === 'reversal-of') return reverseNamed(tx, debit, explanation.credits);
  const reports = explanation.as === 'repeat-of' ? await assertSameMoney(tx, debit, explanation.debits) : [];
  if (explanation.as === 'payment') return bookPaymentsOf(tx, debit, explanation);
  const isRepeat = explanation.as === 'repeat-of';
  // The money of a repeat left once: the bank has the second sum still.
  const debited = isRepeat ? bankAccount(account) : explanation.as === 'return-of' ? accounts.return : accounts.operator;
  const day = isRepeat ? { bookedOn } : {};
  await recordEntries(tx, [
    { kind: 'explained', source: reference, ...day, debit: debited, credit: accounts.differences, currency, amount },
  ]);
  // Until all parts of a debit are explained, neither they nor the debit explain the balance alone.
  if (isRepeat) for (const report of reports) await listWith(tx, report, [report, ...explanation.debits]);
}

/** Settles the payments that a debit books, which are locked, as if the bank had named them. What it has more than them is the bank's fee, where the operator says so. */
async function bookPaymentsOf(
  tx: LedgerTransaction,
  debit: DebitMoney,
  { payments: ids, isWithFee }: Extract<Explanation, { as: 'payment' }>,
): Promise<void> {
  const { reference: source, account, currency, amount, bookedOn } = debit;
  const known = [...(await lockPayments(tx, ids)).values()];
  if (known.length < ids.length) throw explanationWrong('name each payment once');
  const booked = known.find((payment) => payment.bookedOn !== null);
  if (booked !== undefined) throw explanationWrong(`the payment ${booked.id} is booked already`);
  const sum = minorUnits(known.reduce((before, payment) => before + payment.amount, 0n));
  const fee = minorUnits(amount - sum);
  if (isWithFee ? fee <= 0n : fee !== 0n)
    throw explanationWrong(`the payments come to ${formatAmount(sum)}, and the debit is over ${formatAmount(amount)}`);
  const explained = { kind: 'explained', credit: accounts.differences, currency } as const;
  await recordEntries(tx, [
    // The payments' own entries take it from the bank.
    { ...explained, source, bookedOn, debit: bankAccount(account), amount: sum },
    ...(isWithFee ? [{ ...explained, source: `${source}#fee`, debit: accounts.operator, amount: fee }] : []),
  ]);
  const debits = known.map((payment) => ({ account, currency, bookedOn, amount: payment.amount, endToEndId: endToEndIdOf(payment.id) }));
  for (const { outcome, problem = 'it contradicts the payment' } of await settleBookedDebits(tx, debits))
    if (outcome === 'conflict') throw explanationWrong(problem);
  await listWith(tx, source, [source]);
}

/** Takes the credits back that the operator names, which are locked: all of them, or a part of the only one. */
async function reverseNamed(
  tx: LedgerTransaction,
  { reference: debit, amount, currency, bookedOn }: DebitMoney,
  credits: readonly string[],
): Promise<void> {
  const standings = new Map((await findStandings(tx, credits)).map((credit) => [credit.reference, credit]));
  const named = credits.map((credit) => openCredit(credit, standings.get(credit), currency));
  const [only] = named;
  if (only === undefined || new Set(credits).size < credits.length) throw explanationWrong('name each credit once');
  const isPart = named.length === 1 && amount < only.amount;
  const taken = named.find(({ debits }) => debits.length > 0);
  const sum = minorUnits(named.reduce((before, credit) => before + credit.amount, 0n));
  if (!isPart && taken !== undefined)
    throw explanationWrong(`another debit took the credit ${taken.reference}, or a part of it, back already`);
  if (!isPart && sum !== amount)
    throw explanationWrong(`the credits come to ${formatAmount(sum)}, and the debit is over ${formatAmount(amount)}`);
  await assertLeft(tx, isPart ? [{ reference: only.reference, amount }] : named);
  if (isPart) await claimPart(tx, { debit, credit: only.reference, bookedOn, currency, amount });
  else await takeCreditsBack(tx, { debit, credits, reason: 'as the operator says', bookedOn });
}

/** The credit that a debit may take back, with its amount. */
function openCredit(reference: string, credit: CreditStanding | undefined, currency: string) {
  if (credit === undefined) throw explanationWrong(`there is no credit ${reference}`);
  const { state, amount } = credit;
  if (!isReversible(state)) throw explanationWrong(`the credit ${reference} is ${state}`);
  if (amount === null || credit.currency !== currency) throw explanationWrong(`the credit ${reference} is over another amount or currency`);
  return { ...credit, amount };
}

/** The return of a locked credit, by hand, awaits no other debit from now on. */
async function assertReturned(tx: LedgerTransaction, { amount, currency }: DebitMoney, reference: string): Promise<void> {
  const [credit] = await findStandings(tx, [reference]);
  if (credit === undefined) throw explanationWrong(`there is no credit ${reference}`);
  if (credit.state !== 'returned')
    throw explanationWrong(`the credit ${reference} is not returned: mark it by \`mintrail bank return\` first`);
  if (credit.payment !== null) throw explanationWrong(`the credit ${reference} was returned by a payment: explain the debit by that`);
  if (credit.amount !== amount || credit.currency !== currency) {
    const money = credit.amount === null ? 'an unknown amount' : `${formatAmount(credit.amount)} ${credit.currency?.toUpperCase() ?? ''}`;
    throw explanationWrong(`the credit ${reference} is over ${money}`);
  }
  if (!credit.awaitsDebit) throw explanationWrong(`the return of the credit ${reference} is booked already`);
  await tx.updateTable('credits').set({ awaitsDebit: false }).where('reference', '=', reference).execute();
}
