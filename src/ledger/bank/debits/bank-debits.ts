import { sql } from 'kysely';
import type { BookedDebit } from '../../../bank/booked-debit.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount, bankAccountIn } from '../../book/accounts.ts';
import { bookEntries, recordEntries } from '../../book/entries.ts';
import { idOfEndToEndId } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { dayReferences, replacedReference, sourceOf } from '../derived-references.ts';
import { replaceUnreadable } from './unreadable-debits.ts';

/** A debit in the ledger from an earlier report, with what a new report of the same money is compared with. */
export interface ReportedDebit {
  reference: string;
  entryReference: string | null;
  /** The reference and the day under which a statement lists it. */
  listedAs: string | null;
  listedOn: string | null;
  /** That statement among the bank's documents, and the reference in a notification. */
  listedIn: string | null;
  notifiedAs: string | null;
  isSum: boolean;
  /** What the known transactions of its entry come to. */
  entryTotal: MinorUnits | null;
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

/** Days of the calendar within which a notification and a statement may report one debit. */
const mostDaysBetween = 5;

/** A debit to be recorded: what it is. */
export interface NewDebit {
  debit: AccountDebit;
  /** The payment of ours that it books. */
  payment?: string | undefined;
  /** The payment file of ours that it books in one sum. */
  paymentFile?: string | undefined;
  /** Why it is none of our payments, or is in doubt. */
  problem?: string | undefined;
  /** The document that reports it, and whether that is a statement which lists what is booked; none for what an operator says. */
  document?: string | undefined;
  isListed: boolean;
}

/** The debits that may be the same money as these, by any of their references or by their facts: `totals` are what entries of several come to. */
export async function findReportedDebits(
  tx: LedgerTransaction,
  debits: readonly AccountDebit[],
  totals: readonly Pick<AccountDebit, 'account' | 'bookedOn' | 'amount'>[],
): Promise<ReportedDebit[]> {
  if (debits.length === 0) return [];
  const references = [
    ...new Set(
      debits.flatMap((debit) => [
        debit.reference,
        ...dayReferences(debit),
        `${debit.reference}#tx1`,
        debit.entryReference ?? debit.reference,
      ]),
    ),
  ];
  const uetrs = debits.flatMap(({ uetr }) => uetr ?? []);
  const payments = debits.flatMap(({ endToEndId }) => idOfEndToEndId(endToEndId) ?? []);
  const facts = JSON.stringify(
    [...debits, ...totals].map(({ account, bookedOn, amount }) => ({ account, booked_on: bookedOn, amount: amount.toString() })),
  );
  const sums = JSON.stringify(debits.flatMap(({ isSum, account, bookedOn }) => (isSum ? { account, booked_on: bookedOn } : [])));
  const { rows } = await sql<ReportedDebit>`
    with facts as materialized (
      select distinct * from jsonb_to_recordset(${facts}::jsonb) as f(account text, booked_on date, amount bigint)
    ), sums as materialized (
      select d.entry_reference from bank_debits d join (
        select account, min(booked_on) - ${mostDaysBetween}::integer as first, max(booked_on) + ${mostDaysBetween}::integer as last
        from jsonb_to_recordset(${sums}::jsonb) as s(account text, booked_on date) group by account
      ) s on d.account = s.account and d.booked_on between s.first and s.last
      where d.entry_reference is not null and not d.is_sum and d.state <> 'replaced'
      group by d.account, d.entry_reference having count(*) > 1 and exists (select from facts f where f.account = d.account and f.amount = sum(d.amount))
    ), keys as (
      select reference from bank_debits where reference = any(${references}::text[])
      union select reference from bank_debits where entry_reference = any(${references}::text[])
      union select reference from bank_debits where listed_as = any(${references}::text[])
      union select reference from bank_debits where notified_as = any(${references}::text[])
      union select reference from bank_debits where uetr = any(${uetrs}::text[])
      union select reference from bank_debits where payment = any(${payments}::uuid[])
      union select d.reference from facts f
        join bank_debits d on d.account = f.account and d.booked_on between f.booked_on - ${mostDaysBetween}::integer and f.booked_on + ${mostDaysBetween}::integer and d.amount = f.amount
      union select d.reference from sums s join bank_debits d on d.entry_reference = s.entry_reference
    )
    select d.reference, d.entry_reference, d.listed_as, d.listed_on::text as listed_on, d.listed_in, d.notified_as, d.is_sum,
      (select sum(e.amount)::bigint from bank_debits e where e.entry_reference = d.entry_reference and not e.is_sum and e.state <> 'replaced') as entry_total, d.account, d.currency, d.amount, d.booked_on::text as booked_on,
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
  const rows = debits.map(({ debit, payment, paymentFile, problem, document, isListed }) => ({
    reference: debit.reference,
    entry_reference: debit.entryReference,
    listed_as: isListed ? debit.reference : undefined,
    listed_in: isListed ? document : undefined,
    notified_as: isListed || document === undefined ? undefined : debit.reference,
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
    insert into bank_debits (reference, entry_reference, listed_as, listed_on, listed_in, notified_as, is_sum, account, currency, amount, booked_on, payee, remittance,
      end_to_end_id, uetr, takes_back, payment, payment_file, problem, source, state)
    select reference, entry_reference, listed_as, case when listed_as is not null then booked_on end, listed_in, notified_as, is_sum, account, currency, amount, booked_on, payee, remittance, end_to_end_id,
      uetr, takes_back, payment, payment_file, problem, ${source}, case when coalesce(payment, payment_file) is null then 'unexplained' else 'payment' end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(reference text, entry_reference text, listed_as text, listed_in uuid, notified_as text, is_sum boolean, account text,
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

/** A debit that was known, and that a statement or a notification reports under a reference of its own. */
export interface ListedDebit {
  reference: string;
  /** As the document has it, and its day. */
  as: string;
  on: string;
  document: string;
  isListed: boolean;
}

/** Records that statements list debits which were known before, or that notifications report them. */
export async function listDebits(tx: LedgerTransaction, listed: readonly ListedDebit[]): Promise<void> {
  if (listed.length === 0) return;
  const input = JSON.stringify(
    listed.map(({ reference, as, on, document, isListed }) => ({ reference, as, on, document, is_listed: isListed })),
  );
  await sql`
    update bank_debits d set listed_as = case when l.is_listed then l."as" else d.listed_as end, listed_on = case when l.is_listed then l."on" else d.listed_on end,
      listed_in = case when l.is_listed then l.document else d.listed_in end, notified_as = case when l.is_listed then d.notified_as else l."as" end
    from jsonb_to_recordset(${input}::jsonb) as l(reference text, "as" text, "on" date, document uuid, is_listed boolean)
    where d.reference = l.reference and case when l.is_listed then d.listed_as else d.notified_as end is null
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
