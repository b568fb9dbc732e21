import { sql } from 'kysely';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { formatAmount, minorUnits } from '../../../src/platform/money.ts';

/** Entries as lines, the oldest first, such as `credit: assets:bank:sandbox -> liabilities:issue 10.50 eur`. Those of one source, or all. */
export async function journal(ledger: Ledger, source?: string): Promise<string[]> {
  const { rows } = await sql<{ kind: string; debit: string; credit: string; amount: string; currency: string }>`
    select e.kind, d.account as debit, c.account as credit, d.amount::text, d.currency
    from entries e join postings d on d.entry = e.id and d.position = 0 join postings c on c.entry = e.id and c.position = 1
    where ${source ?? null}::text is null or e.source = ${source ?? null} order by e.id
  `.execute(ledger);
  return rows.map(
    ({ kind, debit, credit, amount, currency }) => `${kind}: ${debit} -> ${credit} ${formatAmount(minorUnits(BigInt(amount)))} ${currency}`,
  );
}
