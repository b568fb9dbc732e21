import { sql } from 'kysely';
import type { LedgerTransaction } from '../../ledger.ts';
import { factsOfReports } from '../bank-reports.ts';
import type { AccountDebit } from './bank-debits.ts';
import { explainDebit } from './explain-debit.ts';
import { debitsOfFiles, paymentsOfDebits } from './payment-file-debits.ts';

/**
 * Looks again at the debits that wait and name a payment file of ours, some of whose payments may be refused since: one that comes to the others now books them, as if their
 * refusal had been reported first.
 */
export async function bookWaitingFiles(tx: LedgerTransaction): Promise<void> {
  const { rows } = await sql<{ reference: string; report: string }>`
    select d.reference, m.report::text from bank_debits d join report_money m on m.debit = d.reference and m.is_first
    where d.state = 'unexplained' and d.payment_file is not null and d.takes_back is null and d.problem is null and d.hold is null order by d.reference
  `.execute(tx);
  const facts = await factsOfReports<AccountDebit>(
    tx,
    rows.map(({ report }) => report),
  );
  const debits = rows.map(({ reference, report }) => Object.assign(facts.get(report) as AccountDebit, { reference }));
  for (const { debit, payments } of debitsOfFiles(debits, await paymentsOfDebits(tx, debits), [])) {
    const explanation = { as: 'payment', payments: payments.map(({ id }) => id), isWithFee: false } as const;
    const reason = 'the bank has refused the other payments of its file';
    await explainDebit(tx, debit.reference, { explanation, reason, operator: 'import' });
  }
}
