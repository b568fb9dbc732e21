import { sql } from 'kysely';
import type { BookedDebit } from '../../../bank/booked-debit.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount, bankAccountIn } from '../../book/accounts.ts';
import { bookEntries, recordEntries } from '../../book/entries.ts';
import { idOfEndToEndId } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { dayReference, replacedReference, sourceOf } from '../derived-references.ts';
import { replaceUnreadable } from './unreadable-debits.ts';

/** A debit in the ledger from an earlier report, with what a new report of the same money is compared with. */
export interface ReportedDebit {
  reference: string;
  entryReference: string | null;
  /** The reference and the day under which a statement lists it. */
  listedAs: string | null;
  listedOn: string | null;
  isSum: boolean;
  account: string;
  currency: string;
  amount: MinorUnits;
  /** `YYYY-MM-DD`. */
  bookedOn: string;
  payeeIban: string | null;
  payeeName: string | null;
  endToEndId: string | null;
  uetr: string | null;
  takesBack: string | null;
  /** Whether an operator undid that it took credits back. */
  isUndone: boolean;
  state: LedgerTables['bankDebits']['state'];
  payment: string | null;
}

/** A debit with the account and the day that it is booked on. */
export interface AccountDebit extends BookedDebit {
  account: string;
  bookedOn: string;
}

/** A debit to be recorded: what it is. */
export interface NewDebit {
  debit: AccountDebit;
  /** The payment of ours that it books. */
  payment?: string | undefined;
  /** The payment file of ours that it books in one sum. */
  paymentFile?: string | undefined;
  /** Why it is none of our payments, or is in doubt. */
  problem?: string | undefined;
  /** Whether a statement lists it, and not only a notification. */
  isListed: boolean;
}

/** The debits that may be the same money as these, by any of their references or by their facts. */
export async function findReportedDebits(tx: LedgerTransaction, debits: readonly AccountDebit[]): Promise<ReportedDebit[]> {
  if (debits.length === 0) return [];
  const references = [
    ...new Set(
      debits.flatMap((debit) => [debit.reference, dayReference(debit), `${debit.reference}#tx1`, debit.entryReference ?? debit.reference]),
    ),
  ];
  const uetrs = debits.flatMap(({ uetr }) => uetr ?? []);
  const payments = debits.flatMap(({ endToEndId }) => idOfEndToEndId(endToEndId) ?? []);
  const facts = JSON.stringify(
    debits.map(({ account, bookedOn, amount }) => ({ account, booked_on: bookedOn, amount: amount.toString() })),
  );
  const { rows } = await sql<ReportedDebit>`
    with keys as (
      select reference from bank_debits where reference = any(${references}::text[])
      union select reference from bank_debits where entry_reference = any(${references}::text[])
      union select reference from bank_debits where listed_as = any(${references}::text[])
      union select reference from bank_debits where uetr = any(${uetrs}::text[])
      union select reference from bank_debits where payment = any(${payments}::uuid[])
      union select d.reference from jsonb_to_recordset(${facts}::jsonb) as f(account text, booked_on date, amount bigint)
        join bank_debits d on d.account = f.account and d.booked_on = f.booked_on and d.amount = f.amount
    )
    select d.reference, d.entry_reference, d.listed_as, d.listed_on::text as listed_on, d.is_sum, d.account, d.currency, d.amount, d.booked_on::text as booked_on,
      d.payee ->> 'iban' as payee_iban, d.payee ->> 'name' as payee_name, d.end_to_end_id, d.uetr, d.takes_back,
      d.reversals_undone > 0 as is_undone, d.state, d.payment
    from bank_debits d join keys using (reference) where d.amount is not null order by d.received_at, d.reference
  `.execute(tx);
  return rows;
}

/** Records debits. What is no payment of ours is booked as a difference, until an operator explains it. */
export async function recordDebits(tx: LedgerTransaction, debits: readonly NewDebit[], source: string): Promise<void> {
  if (debits.length === 0) return;
  await replaceUnreadable(
    tx,
    debits.map(({ debit }) => debit.reference),
  );
  const rows = debits.map(({ debit, payment, paymentFile, problem, isListed }) => ({
    reference: debit.reference,
    entry_reference: debit.entryReference,
    listed_as: isListed ? debit.reference : undefined,
    is_sum: debit.isSum,
    account: debit.account,
    currency: debit.currency,
    amount: debit.amount.toString(),
    booked_on: debit.bookedOn,
    payee: debit.payee,
    remittance: debit.remittance,
    end_to_end_id: debit.endToEndId,
    uetr: debit.uetr,
    takes_back: debit.takesBack,
    payment,
    payment_file: paymentFile,
    problem,
  }));
  await sql`
    with recorded as (
    insert into bank_debits (reference, entry_reference, listed_as, listed_on, is_sum, account, currency, amount, booked_on, payee, remittance, end_to_end_id,
      uetr, takes_back, payment, payment_file, problem, source, state)
    select reference, entry_reference, listed_as, case when listed_as is not null then booked_on end, is_sum, account, currency, amount, booked_on, payee, remittance, end_to_end_id,
      uetr, takes_back, payment, payment_file, problem, ${source}, case when coalesce(payment, payment_file) is null then 'unexplained' else 'payment' end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(reference text, entry_reference text, listed_as text, is_sum boolean, account text,
      currency text, amount bigint, booked_on date, payee jsonb, remittance text, end_to_end_id text, uetr text, takes_back text, payment uuid,
      payment_file uuid, problem text)
    returning reference, account, currency, amount, booked_on, state
    ), ${bookEntries(sql`
      select 'unknown-debit' as kind, ${sourceOf('r.reference')} as source, r.booked_on, ${accounts.differences} as debit,
        ${bankAccountIn('r.account')} as credit, r.currency, r.amount
      from recorded r where r.state = 'unexplained'`)}
    select
  `.execute(tx);
}

/** A debit that a statement lists under a reference, which may differ from that of an earlier notification. */
export interface ListedDebit {
  reference: string;
  listedAs: string;
  listedOn: string;
}

/** Records that statements list debits which were known before. */
export async function listDebits(tx: LedgerTransaction, listed: readonly ListedDebit[]): Promise<void> {
  if (listed.length === 0) return;
  const input = JSON.stringify(
    listed.map(({ reference, listedAs, listedOn }) => ({ reference, listed_as: listedAs, listed_on: listedOn })),
  );
  await sql`
    update bank_debits d set listed_as = l.listed_as, listed_on = l.listed_on
    from jsonb_to_recordset(${input}::jsonb) as l(reference text, listed_as text, listed_on date)
    where d.reference = l.reference and d.listed_as is null
  `.execute(tx);
}

/**
 * Undoes unexplained sums whose transactions are recorded instead of them. Each gets another reference, because its only transaction may have
 * its own. Throws when one of them has been explained meanwhile.
 */
export async function replaceDebits(tx: LedgerTransaction, references: readonly string[]): Promise<void> {
  if (references.length === 0) return;
  const { rows } = await sql<Pick<AccountDebit, 'reference' | 'account' | 'currency' | 'amount' | 'bookedOn'>>`
    update bank_debits d set state = 'replaced', replaced_from = reference,
      reference = ${replacedReference('d.reference')}
    where reference = any(${references}::text[]) and state = 'unexplained'
    returning reference, account, currency, amount, booked_on::text as booked_on
  `.execute(tx);
  if (rows.length !== references.length) throw new Error(`one of the debits ${references.join(', ')} was explained just now`);
  await recordEntries(
    tx,
    rows.map(({ reference, account, bookedOn, currency, amount }) => ({
      kind: 'debit-replaced',
      source: reference,
      bookedOn,
      debit: bankAccount(account),
      credit: accounts.differences,
      currency,
      amount,
    })),
  );
}
