import { type Selectable, sql } from 'kysely';
import { formatAmount, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { statementKind } from '../reported-line.ts';
import { listWith } from '../statements/bank-statements.ts';
import { bookAsKnown, type DebitMoney, sumOf } from './debit-money.ts';
import { debitsOfPayments } from './payment-file-debits.ts';
import { explanationWrong, mostNamed } from './unexplained-debits.ts';

/** How an operator explains a debit over several payments of ours, or over more than they come to, that other debits have booked: a clause, or nothing. */
export async function repeatText(
  tx: LedgerTransaction,
  { reference, amount = minorUnits(0n) }: { reference: string; amount?: MinorUnits },
  payments: readonly { id: string; amount: MinorUnits }[],
): Promise<string> {
  if (amount < sumOf(payments) || (amount === sumOf(payments) && payments.length < 2)) return '';
  const ids = payments.map(({ id }) => id);
  const booked = (await debitsOfPayments(tx, ids)).filter((debit) => debit.reference !== reference);
  if (booked.length === 0 || booked.length >= mostNamed || amount < sumOf(booked)) return '';
  const known = booked.map((debit) => debit.reference).join(',');
  const [fee, as] = amount === sumOf(booked) ? ['', known] : [", with the bank's fee", `${known},fee`];
  return `: if it is another report of that${fee}, explain it by \`--as repeat-of:${as}\``;
}

/** A debit as it stands in the ledger. */
export type KnownDebit = Selectable<LedgerTables['bankDebits']>;

/**
 * A further report is over the same money of the same account as the locked debits that it repeats, which are no further reports themselves: together, with the bank's fee where the
 * operator says so, or over a part of the only one, as long as its parts do not come to more than it. That money left once: the bank has the second sum still.
 */
export async function bookRepeat(
  tx: LedgerTransaction,
  debit: DebitMoney,
  { named, isWithFee }: { named: ReadonlyMap<string, KnownDebit | undefined>; isWithFee: boolean },
): Promise<void> {
  if (named.has(debit.reference)) throw explanationWrong('it cannot repeat itself');
  const firsts = [...named].map(([first, known]) => countingDebit(debit, first, known));
  const sum = sumOf(firsts);
  const [only] = firsts;
  const isPart = only !== undefined && firsts.length === 1 && !isWithFee && debit.amount < sum;
  const reports = isPart ? await partsOf(tx, debit, only) : [debit.reference];
  const money = `${formatAmount(sum)} ${debit.currency.toUpperCase()}`;
  const what = firsts.length === 1 ? `the debit ${only?.reference} is of ${money}` : `the debits come to ${money}`;
  await bookAsKnown(tx, debit, { known: isPart ? debit.amount : sum, isWithFee, what });
  if (only !== undefined && firsts.length === 1 && only.amount === debit.amount) await pinReports(tx, debit.reference, only.reference);
  // Until all parts of a debit are explained, neither they nor the debit explain the balance alone.
  for (const report of reports) await listWith(tx, report, [report, ...named.keys()]);
}

/** What only notifications report of a debit is another from now on, over as much: so a statement that lists both lists two. */
async function pinReports(tx: LedgerTransaction, debit: string, of: string): Promise<void> {
  await sql`
    update report_money set debit = ${of}, is_first = false, is_pinned = true where debit = ${debit} and not exists (
      select from report_money m join bank_reports r on r.id = m.report join bank_documents o on o.id = r.document
      where m.debit = ${debit} and o.kind = ${statementKind})
  `.execute(tx);
}

function countingDebit(debit: DebitMoney, reference: string, known: KnownDebit | undefined): DebitMoney {
  if (known === undefined) throw explanationWrong(`there is no debit ${reference}`);
  const { account, currency, amount, state, explainedAs } = known;
  if (state === 'replaced' || explainedAs === 'repeat-of') throw explanationWrong(`the debit ${reference} counts under another reference`);
  if (amount === null) throw explanationWrong(`the amount of the debit ${reference} is not known yet: explain that first`);
  if (account === debit.account && currency === debit.currency) return { ...known, amount };
  throw explanationWrong(`the debit ${reference} is of ${formatAmount(amount)} ${currency.toUpperCase()} on ${account}`);
}

/** The parts of a debit, if they come to all of it. Throws when the others leave less than this one, which is recorded as a part already. */
async function partsOf(tx: LedgerTransaction, { reference }: DebitMoney, first: DebitMoney): Promise<string[]> {
  const { rows } = await sql<{ reference: string; amount: MinorUnits }>`
    select reference, amount from bank_debits
    where repeats[1] = ${first.reference} and cardinality(repeats) = 1 and amount < ${first.amount}
  `.execute(tx);
  const parts = sumOf(rows);
  if (parts <= first.amount) return parts < first.amount ? [] : rows.map((part) => part.reference);
  throw explanationWrong(
    `with ${reference}, the parts of the debit ${first.reference} come to ${formatAmount(parts)}, and it is of ${formatAmount(first.amount)}`,
  );
}
