import { sql } from 'kysely';
import type { UnreadableDebit } from '../../../bank/booked-debit.ts';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { replacedReference } from '../derived-references.ts';
import { bookUnderStatements } from '../statements/bank-statements.ts';
import { explanationWrong } from './debit-explanation.ts';

/** An unreadable debit with the account and the day that it is booked on. */
export interface UnreadableAccountDebit extends UnreadableDebit {
  account: string;
  bookedOn: string;
  /** The document that reports it. */
  document: string;
}

/** Records debits whose amounts cannot be read, each once: they wait for an operator, and the book has nothing of them. Returns the references of the new ones. */
export async function recordUnreadableDebits(
  tx: LedgerTransaction,
  debits: readonly UnreadableAccountDebit[],
  source: string,
): Promise<string[]> {
  if (debits.length === 0) return [];
  const recorded = await tx
    .insertInto('bankDebits')
    .values(
      debits.map(({ reference, account, currency, bookedOn, payee, remittance, amountText, takesBack, document }) => ({
        reference,
        account,
        currency,
        bookedOn,
        payee: JSON.stringify(payee),
        remittance: remittance ?? null,
        takesBack: takesBack ?? null,
        problem: problemOf(amountText),
        document,
        source,
        state: 'unexplained' as const,
      })),
    )
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('reference')
    .execute();
  return recorded.map(({ reference }) => reference);
}

/** Why an unreadable debit waits, as a clause. */
export function problemOf(amountText: string): string {
  return `its amount, ${amountText === '' ? 'which is missing' : amountText}, cannot be read: ask the bank`;
}

/** Makes room for debits that are reported again with amounts that can be read. */
export async function replaceUnreadable(tx: LedgerTransaction, references: readonly string[]): Promise<void> {
  await sql`
    update bank_debits d set state = 'replaced', replaced_from = reference, reference = ${replacedReference('d.reference')}
    where reference = any(${references}::text[]) and amount is null and state = 'unexplained'
  `.execute(tx);
}

/** The amounts that operators have named of debits which no report could be read of, by these references. */
export async function findNamedAmounts(tx: LedgerTransaction, references: readonly string[]): Promise<Map<string, MinorUnits | null>> {
  if (references.length === 0) return new Map();
  const { rows } = await sql<{ reference: string; amount: MinorUnits | null }>`
    select d.reference, d.amount from bank_debits d
    where d.reference = any(${references}::text[]) and d.amount is not null and not exists (select from report_money r where r.debit = d.reference)
  `.execute(tx);
  return new Map(rows.map(({ reference, amount }) => [reference, amount]));
}

/** An operator says what an unreadable debit was over: it is a difference in the book from then on. Throws `bad_input` for one whose amount is known. */
export async function nameAmount(tx: LedgerTransaction, reference: string, amount: MinorUnits): Promise<void> {
  const debit = await tx
    .updateTable('bankDebits')
    .set({ amount })
    .where('reference', '=', reference)
    .where('amount', 'is', null)
    .where('state', '=', 'unexplained')
    .returning(['account', 'currency', 'document'])
    .returning(sql<string>`booked_on::text`.as('bookedOn'))
    .executeTakeFirst();
  if (debit === undefined) throw explanationWrong(`its amount is known, and ${formatAmount(amount)} cannot replace it`);
  const { account, currency, bookedOn } = debit;
  const entry = {
    kind: 'unknown-debit',
    source: reference,
    bookedOn,
    debit: accounts.differences,
    credit: bankAccount(account),
    currency,
    amount,
  } as const;
  await bookUnderStatements(tx, await statementsOf(tx, debit.document), () => recordEntries(tx, [entry]));
}

/** The statements that a document is, with commas between them. */
async function statementsOf(tx: LedgerTransaction, document: string | null): Promise<string> {
  const known = await tx.selectFrom('bankDocuments').where('id', '=', document).select('statements').executeTakeFirst();
  return known?.statements.join(',') ?? '';
}
