import { sql } from 'kysely';
import type { BookedDebit } from '../../../bank/booked-debit.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount, bankAccountIn } from '../../book/accounts.ts';
import { bookEntries, recordEntries } from '../../book/entries.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { replacedReference, sourceOf } from '../derived-references.ts';
import { replaceUnreadable } from './unreadable-debits.ts';

/** A debit with the account and the day that it is booked on. */
export interface AccountDebit extends BookedDebit {
  account: string;
  bookedOn: string;
  /** What its entry comes to, in minor units, as far as all of that left. */
  entryAmount?: MinorUnits;
}

/** A debit to be recorded: what it is. */
export interface NewDebit {
  debit: AccountDebit;
  /** Whether it books what it names: a payment of ours, or a payment file of ours in one sum. */
  isOurs?: boolean | undefined;
  payment?: string | undefined;
  paymentFile?: string | undefined;
  /** Why it is none of our payments, or is in doubt. */
  problem?: string | undefined;
  /** Why its reports leave open what it is. */
  hold?: LedgerTables['bankDebits']['hold'] | undefined;
}

/** Records debits. What is no payment of ours is booked as a difference, until an operator explains it. */
export async function recordDebits(tx: LedgerTransaction, debits: readonly NewDebit[], source: string): Promise<void> {
  if (debits.length === 0) return;
  await replaceUnreadable(
    tx,
    debits.map(({ debit }) => debit),
  );
  const input = inputRows(
    debits.map(({ debit, ...is }) => ({ ...debit, ...is })),
    `reference text, entry_reference text, account text, currency text, amount bigint, booked_on date, payee jsonb, remittance text, end_to_end_id text, uetr text,
    takes_back text, is_ours boolean, payment uuid, payment_file uuid, problem text, hold text`,
  );
  await sql`
    with recorded as (
    insert into bank_debits (reference, entry_reference, account, currency, amount, booked_on, payee, remittance,
      end_to_end_id, uetr, takes_back, payment, payment_file, problem, hold, source, state)
    select reference, entry_reference, account, currency, amount, booked_on, payee, remittance, end_to_end_id,
      uetr, takes_back, payment, payment_file, problem, hold, ${source}, case when is_ours then 'payment' else 'unexplained' end
    from ${input} d
    returning reference, account, currency, amount, booked_on, state
    ), ${bookEntries(sql`
      select 'unknown-debit' as kind, ${sourceOf('r.reference')} as source, r.booked_on, ${accounts.differences} as debit,
        ${bankAccountIn('r.account')} as credit, r.currency, r.amount
      from recorded r where r.state = 'unexplained'`)}
    select
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
