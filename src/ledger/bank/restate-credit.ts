import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { accounts, bankAccount } from '../book/accounts.ts';
import { recordEntries } from '../book/entries.ts';
import { keepDebits } from './debits/kept-debits.ts';
import { keptReference, restReference } from './derived-references.ts';
import { bookUnderStatements } from './statements/bank-statements.ts';
import { mostDaysBetween } from './related-reports.ts';
import { replaceCredits } from './reported-credits.ts';
import type { LedgerTransaction } from '../ledger.ts';

interface OrderedCredit {
  reference: string;
  account: string;
  currency: string;
  amount: MinorUnits;
  bookedOn: string;
  source: string;
  /** What a statement lists of it, in minor units, and that statement; null while none does. */
  stated: MinorUnits | null;
  statements: string[] | null;
  /** What the bank kept of it, as an operator has explained already. */
  explained: MinorUnits | null;
}

/**
 * Gives the credit of an issue order, whose leg is locked and ready, the amount in minor units that was issued of it before the restore: before or after charges, as another
 * report says. What a statement lists less or more is then what it would have been had that report been imported first (docs/bank-files.md, Charges). The caller has locked
 * the imports.
 */
export async function restateCredit(tx: LedgerTransaction, order: string, issued: MinorUnits): Promise<void> {
  const { rows } = await sql<OrderedCredit>`
    select c.reference, c.bank_account as account, c.currency, c.amount, coalesce(c.booked_on, current_date)::text as booked_on, c.source, s.amount as stated, s.statements,
      (select amount from bank_debits d where d.reference = c.reference || ${keptReference('')} and d.state <> 'unexplained') as explained
    from credits c join orders a on a.id = c.order_id and a.amount <> ${issued} left join lateral (
      select r.amount, o.statements from report_money m join bank_reports r on r.id = m.report join bank_documents o on o.id = r.document
      where m.credit = c.reference and o.kind = 'statement' and not r.is_sum order by o.id limit 1) s on true
    where c.order_id = ${order} for update of c
  `.execute(tx);
  const [credit] = rows;
  if (credit === undefined) return;
  const { reference, account, currency, bookedOn, source, stated, statements } = credit;
  await tx.updateTable('credits').set({ amount: issued }).where('reference', '=', reference).execute();
  const more = issued - credit.amount;
  const [bank, owed] = [bankAccount(account), accounts.issue];
  await recordEntries(tx, [
    {
      kind: 'credit-replaced',
      source: `${reference}#left-${issued}`,
      bookedOn,
      ...(more > 0n ? { debit: bank, credit: owed } : { debit: owed, credit: bank }),
      currency,
      amount: minorUnits(more > 0n ? more : -more),
    },
  ]);
  if (more > 0n) await replaceRest(tx, reference, minorUnits(more));
  if (stated === null || statements === null) return;
  const amount = minorUnits(issued - stated);
  const problem = `the bank has booked less than was issued for ${reference}, and kept this as charges`;
  const kept = amount > 0n ? [{ credit: reference, account, currency, bookedOn, amount, statements: [statements], problem }] : [];
  await keepDebits(tx, { credits: [reference], kept, source });
  const rest = minorUnits(stated + (credit.explained ?? 0n) - issued);
  if (rest > 0n) await bookUnderStatements(tx, statements.join(','), () => recordRest(tx, credit, rest));
}

/** What a statement lists more than the credit waits under the number that it has there: it was issued as well. */
async function replaceRest(tx: LedgerTransaction, reference: string, more: MinorUnits): Promise<void> {
  const { rows } = await sql<{ reference: string }>`
    select o.reference from credits c join credits o on o.bank_account = c.bank_account and o.currency = c.currency and o.iban = c.iban
    where c.reference = ${reference} and o.state = 'unmatched' and o.rail_reason = 'details_differ' and o.amount = ${more}
      and right(o.reference, length(${restReference('')})) = ${restReference('')} and abs(o.booked_on - c.booked_on) <= ${mostDaysBetween}
    order by abs(o.booked_on - c.booked_on), o.reference limit 1 for update of o
  `.execute(tx);
  await replaceCredits(
    tx,
    rows.map((rest) => ({ reference: rest.reference, remaining: null })),
  );
}

/** What the bank has booked of a credit beside what was issued: it waits for an operator. */
async function recordRest(tx: LedgerTransaction, { reference, account, currency, bookedOn }: OrderedCredit, amount: MinorUnits) {
  const source = restReference(reference);
  await sql`
    insert into credits (reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, booked_on, source, message, facts, bank_account, state,
      reason, rail_reason)
    select ${source}, iban, currency, ${amount}, payer, remittance, structured_reference, end_to_end_id, booked_on, source, message, facts, bank_account, 'unmatched',
      ${`less was issued for ${reference} than the bank has booked; this is the rest`}, 'details_differ'
    from credits where reference = ${reference}
  `.execute(tx);
  await recordEntries(tx, [{ kind: 'credit', source, bookedOn, debit: bankAccount(account), credit: accounts.suspense, currency, amount }]);
}
