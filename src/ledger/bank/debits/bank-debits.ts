import { type RawBuilder, sql } from 'kysely';
import type { BookedDebit } from '../../../bank/credit.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccountIn } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { inputRows } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { replacedReference, sourceOf } from '../derived-references.ts';

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
  /** The credit of which the bank has kept it. */
  keptOf?: string | undefined;
  /** Why its reports leave open what it is. */
  hold?: LedgerTables['bankDebits']['hold'] | undefined;
}

/** Records debits. What is no payment of ours is booked as a difference, until an operator explains it. The book has nothing of one whose amount is not known. */
export async function recordDebits(tx: LedgerTransaction, debits: readonly NewDebit[], source: string): Promise<void> {
  if (debits.length === 0) return;
  const input = inputRows(
    debits.map(({ debit, ...is }) => ({ ...debit, ...is })),
    `reference text, entry_reference text, account text, currency text, amount bigint, booked_on date, payee jsonb, remittance text, end_to_end_id text, uetr text,
    takes_back text, is_ours boolean, payment uuid, payment_file uuid, problem text, kept_of text, hold text`,
  );
  await sql`
    with recorded as (
      insert into bank_debits (reference, entry_reference, account, currency, amount, booked_on, payee, remittance,
        end_to_end_id, uetr, takes_back, payment, payment_file, problem, kept_of, hold, source, state)
      select reference, entry_reference, account, currency, amount, booked_on, payee, remittance, end_to_end_id,
        uetr, takes_back, payment, payment_file, problem, kept_of, hold, ${source}, case when is_ours then 'payment' else 'unexplained' end
      from ${input} d returning *
    ), ${bookEntries(asDifferences('recorded'))}
    select
  `.execute(tx);
}

/** SQL: the entries of the debits of a CTE that are unexplained, as far as their amounts are known. */
export function asDifferences(debits: string): RawBuilder<unknown> {
  return sql`
    select 'unknown-debit' as kind, ${sourceOf('d.reference')} as source, d.booked_on, ${accounts.differences} as debit, ${bankAccountIn('d.account')} as credit,
      d.currency, d.amount
    from ${sql.ref(debits)} d where d.state = 'unexplained' and d.amount is not null`;
}

/**
 * Undoes unexplained sums whose transactions are recorded instead of them. Each gets another reference, because its only transaction may have
 * its own. Throws when one of them has been explained meanwhile.
 */
export async function replaceDebits(tx: LedgerTransaction, references: readonly string[]): Promise<void> {
  if (references.length === 0) return;
  const { rows } = await sql`
    with replaced as (
      update bank_debits d set state = 'replaced', replaced_from = reference, reference = ${replacedReference('d.reference')}
      where reference = any(${references}::text[]) and state = 'unexplained' returning *
    ), ${bookEntries(sql`
      select 'debit-replaced' as kind, reference as source, booked_on, ${bankAccountIn('account')} as debit, ${accounts.differences} as credit, currency, amount
      from replaced where amount is not null`)}
    select from replaced
  `.execute(tx);
  if (rows.length !== references.length) throw new Error(`one of the debits ${references.join(', ')} was explained just now`);
}
