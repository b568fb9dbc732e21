import { sql } from 'kysely';
import { formatAmount, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries, recordEntries } from '../../book/entries.ts';
import { lockImports } from '../bank-files.ts';
import { asDifferences } from './bank-debits.ts';
import { bookAsKnown, type DebitMoney, sumOf } from './debit-money.ts';
import { statedPayments } from './payment-file-debits.ts';
import { bookRepeat, type KnownDebit, repeatText } from './repeated-debits.ts';
import { type CreditStanding, findStandings, isReversible } from '../credit-standing.ts';
import { endToEndIdOf } from '../../end-to-end-id.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { claimPart, endKept, lockCredits, takeCreditsBack } from '../claims/taken-back.ts';
import { explanationWrong, type Explanation, findUnexplainedDebit } from './unexplained-debits.ts';
import { bookUnderStatements, listWith } from '../statements/bank-statements.ts';
import { type LockedPayment, lockPayments, settleBookedDebits } from '../payments.ts';
import { inputRows } from '../../input-rows.ts';

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
    const book = await prepare(tx, explanation);
    if (amount !== undefined) await nameAmount(tx, reference, { amount, currency: named });
    const { account, currency, bookedOn, amount: booked, reversalsUndone } = await findUnexplainedDebit(tx, reference, 'lock');
    if (booked === null) throw explanationWrong('its amount cannot be read: name it as well, by `--amount`');
    const debit = { reference, account, currency, amount: booked, bookedOn };
    const owed = explanation.as === 'return-of' ? await endReturn(tx, debit, explanation.credit) : booked;
    const [first = null, ...more] = explanation.as === 'payment' ? explanation.payments : [];
    await sql`
      update bank_debits set state = 'explained', explained_as = ${explanation.as}, explanation = ${reason}, explained_by = ${operator}, explained_at = now(),
        problem = null, payment = coalesce(${first}::uuid, payment), more_payments = case when ${first}::uuid is not null then ${more}::uuid[] else more_payments end,
        returned_credit = ${explanation.as === 'return-of' ? explanation.credit : null}, repeats = ${explanation.as === 'repeat-of' ? explanation.debits : null}
      where reference = ${reference} and state = 'unexplained'
    `.execute(tx);
    await book({ ...debit, amount: owed }, reversalsUndone);
    return debit;
  });
}

/** An operator says what an unreadable debit was over: it is a difference in the book from then on. Throws `bad_input` for one whose amount is known, or whose currency is not. */
async function nameAmount(
  tx: LedgerTransaction,
  reference: string,
  { amount, currency: named }: { amount: MinorUnits; currency: string | undefined },
): Promise<void> {
  const { rows } = await sql<{ currency: string }>`
    select currency from bank_debits where reference = ${reference} and amount is null and state = 'unexplained' for update
  `.execute(tx);
  const [debit] = rows;
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

/**
 * Locks what explains a debit before the debit itself, in the order of all locks (docs/architecture.md, Row locks). Returns what books the debit as that, once it is explained.
 */
async function prepare(
  tx: LedgerTransaction,
  explanation: Explanation,
): Promise<(debit: DebitMoney, reversalsUndone: number) => Promise<void>> {
  const { as } = explanation;
  if (as === 'payment') {
    const payments = await lockPayments(tx, explanation.payments);
    const unknown = explanation.payments.find((id) => !payments.has(id));
    if (unknown !== undefined) throw explanationWrong(`there is no payment ${unknown}`);
    assertOnce(explanation.payments, 'payment');
    return (debit) => bookPaymentsOf(tx, debit, [...payments.values()], explanation.isWithFee);
  }
  if (as === 'reversal-of') {
    assertOnce(explanation.credits, 'credit');
    const credits = await lockCredits(tx, explanation.credits);
    return (debit) => reverseNamed(tx, debit, new Map(explanation.credits.map((credit) => [credit, credits.get(credit)])));
  }
  if (as === 'repeat-of') {
    assertOnce(explanation.debits, 'debit');
    // An import must not decide of a report what it is while that is said.
    await lockImports(tx);
    const { rows } = await sql<KnownDebit>`
      select * from bank_debits where reference = any(${explanation.debits}::text[]) order by reference for update
    `.execute(tx);
    return (debit) =>
      bookRepeat(tx, debit, {
        named: new Map(explanation.debits.map((first) => [first, rows.find(({ reference }) => reference === first)])),
        isWithFee: explanation.isWithFee === true,
      });
  }
  if (as === 'return-of') await sql`select from credits where reference = ${explanation.credit} for update`.execute(tx);
  return async ({ reference, currency, amount }, reversalsUndone) => {
    const source = reversalsUndone > 0 ? `${reference}#undone-${reversalsUndone}` : reference;
    const debited = as === 'return-of' ? accounts.return : accounts.operator;
    await recordEntries(tx, [{ kind: 'explained', source, debit: debited, credit: accounts.differences, currency, amount }]);
  };
}

function assertOnce(named: readonly string[], what: string): void {
  if (new Set(named).size < named.length) throw explanationWrong(`name each ${what} once`);
}

/** Settles the payments that a debit books, which are locked, as if the bank had named them. What it has more than them is the bank's fee, where the operator says so. */
async function bookPaymentsOf(
  tx: LedgerTransaction,
  debit: DebitMoney,
  known: readonly LockedPayment[],
  isWithFee: boolean,
): Promise<void> {
  const { reference: source, account, currency, bookedOn } = debit;
  // What was notified of some of them by themselves is in the debit.
  const open = known.filter((payment) => payment.bookedOn === null);
  const stated = await statedPayments(tx, known, source);
  const booked = known.find(({ id, bookedOn: on }) => on !== null && (open.length === 0 || stated.includes(id)));
  if (booked !== undefined) throw explanationWrong(`the payment ${booked.id} is booked already${await repeatText(tx, debit, known)}`);
  // The payments' own entries take it from the bank.
  const sum = sumOf(known);
  await bookAsKnown(tx, debit, { known: sum, isWithFee, what: `the payments come to ${formatAmount(sum)}` });
  const debits = open.map((payment) => ({ account, currency, bookedOn, amount: payment.amount, endToEndId: endToEndIdOf(payment.id) }));
  for (const { outcome, problem = 'it contradicts the payment' } of await settleBookedDebits(tx, debits))
    if (outcome === 'conflict') throw explanationWrong(problem);
  await listWith(tx, source, [source]);
}

/** Takes the credits back that the operator names, which are locked: all of them, or a part of the only one. */
async function reverseNamed(
  tx: LedgerTransaction,
  { reference: debit, amount, currency, bookedOn }: DebitMoney,
  credits: ReadonlyMap<string, CreditStanding | undefined>,
): Promise<void> {
  const named = [...credits].map(([reference, credit]) => openCredit(reference, credit, currency));
  const [only] = named;
  const sum = sumOf(named);
  const booked = named.reduce((all, credit) => all + (credit.booked ?? 0n), 0n);
  if (only !== undefined && named.length === 1 && amount < sum && amount !== booked) {
    await assertLeft(tx, [{ reference: only.reference, amount }]);
    return claimPart(tx, { debit, credit: only.reference, bookedOn, currency, amount });
  }
  const taken = named.find(({ debits }) => debits.length > 0);
  if (taken !== undefined) throw explanationWrong(`another debit took the credit ${taken.reference}, or a part of it, back already`);
  if (sum !== amount && booked !== amount)
    throw explanationWrong(`the credits come to ${formatAmount(sum)}, and the debit is over ${formatAmount(amount)}`);
  await assertLeft(tx, named);
  await takeCreditsBack(tx, { debit, amount, credits: [...credits.keys()], reason: 'as the operator says', bookedOn });
}

/** The credit that a debit may take back, with its amount. */
function openCredit(reference: string, credit: CreditStanding | undefined, currency: string) {
  if (credit === undefined) throw explanationWrong(`there is no credit ${reference}`);
  const { state, amount } = credit;
  if (!isReversible(credit)) throw explanationWrong(`the credit ${reference} is ${state}`);
  if (amount === null || credit.currency !== currency) throw explanationWrong(`the credit ${reference} is over another amount or currency`);
  return { ...credit, amount };
}

/** The return of a locked credit, and of its rests, by hand, awaits no other debit from now on: the debit is over their amounts, or over what the bank has booked of them. Returns what was owed. */
async function endReturn(tx: LedgerTransaction, { amount, currency }: DebitMoney, reference: string): Promise<MinorUnits> {
  const [credit] = await findStandings(tx, [reference]);
  if (credit === undefined) throw explanationWrong(`there is no credit ${reference}`);
  if (credit.state !== 'returned')
    throw explanationWrong(`the credit ${reference} is not returned: mark it by \`mintrail bank return\` first`);
  if (credit.payment !== null) throw explanationWrong(`the credit ${reference} was returned by a payment: explain the debit by that`);
  if (!credit.awaitsDebit) throw explanationWrong(`the return of the credit ${reference} is booked already`);
  const isWhole = credit.amount === amount;
  const rests = isWhole ? [] : await findStandings(tx, credit.rests);
  const isOfIt = (isWhole || credit.booked === amount) && credit.currency === currency;
  if (!isOfIt || rests.some(({ awaitsDebit }) => !awaitsDebit)) {
    const money = credit.amount === null ? 'an unknown amount' : `${formatAmount(credit.amount)} ${credit.currency?.toUpperCase() ?? ''}`;
    throw explanationWrong(`the credit ${reference} is over ${money}`);
  }
  if (!isWhole) await endKept(tx, [reference]);
  const ended = [credit, ...rests];
  const references = ended.map((one) => one.reference);
  await tx.updateTable('credits').set({ awaitsDebit: false }).where('reference', 'in', references).execute();
  return minorUnits(ended.reduce((owed, one) => owed + (one.amount ?? 0n), 0n));
}

/**
 * Throws `bad_input` when a debit would take more back than there is: of each credit together with the reports that repeat it, and of each entry together with a sum
 * that its transactions replaced or reduced after a part of it was taken back. `amount` is what it takes of a credit, as a whole or in part. The caller has locked the
 * credits. What was taken back of such sums is locked here, so that two operators do not take the same money back by two credits.
 */
async function assertLeft(tx: LedgerTransaction, taken: readonly { reference: string; amount: MinorUnits }[]): Promise<void> {
  const input = inputRows(taken, 'reference text, amount bigint');
  await sql`
    with named as (select c.* from ${input} t join credits c on c.reference = t.reference)
    select from reversals where counts_with in (select reference from named union select entry_reference from named) order by reference for update
  `.execute(tx);
  const { rows } = await sql<{ name: string; left: MinorUnits }>`
    with named as (
      select c.reference, c.entry_reference, c.amount, t.amount as taken from ${input} t join credits c on c.reference = t.reference
    ), of_credits as (
      select n.reference, n.taken, n.amount - coalesce(
        (select sum(v.amount) from reversals v where v.credit = n.reference or v.counts_with = n.reference), 0) as left
      from named n
    ), entries as (
      select n.entry_reference as entry, sum(n.taken) as taken from named n
      where exists (select from reversals v where v.counts_with = n.entry_reference) group by n.entry_reference
    ), counting as (
      select e.entry, c.reference, c.amount, c.entry_amount from entries e join credits c on c.entry_reference = e.entry
      where c.state not in ('replaced', 'repeated')
    ), parts as (
      select e.entry, v.reference, v.amount from entries e join reversals v on v.counts_with = e.entry
      union
      select c.entry, v.reference, v.amount from counting c join reversals v on v.credit = c.reference or v.counts_with = c.reference
    ), of_entries as (
      select e.entry, e.taken, (select least(sum(c.amount), max(c.entry_amount)) from counting c where c.entry = e.entry)
        - (select sum(p.amount) from parts p where p.entry = e.entry) as left
      from entries e
    )
    select 'the credit ' || reference as name, greatest(c.left, 0)::bigint as left from of_credits c where taken > c.left
    union all
    select 'the entry ' || entry, greatest(e.left, 0)::bigint from of_entries e where taken > e.left
  `.execute(tx);
  const [spent] = rows;
  if (spent !== undefined) throw explanationWrong(`${formatAmount(spent.left)} of ${spent.name} are not taken back yet`);
}
