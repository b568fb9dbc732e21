import { listStatements as readStatements, type StatementView } from '../../ledger/bank/statements/statement-queries.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail bank statements`. */
export interface StatementOptions {
  account?: string;
  limit: number;
  json?: boolean;
}

/** `mintrail bank statements`. */
export async function listStatements({ account, limit, json = false }: StatementOptions): Promise<void> {
  const statements = await withLedger((ledger) => readStatements(ledger, { account, limit }));
  if (json) return print(renderJson(statements.map(withTexts)));
  if (statements.length === 0) return print('No statements with balances.');
  const rows = statements.map((statement) => [
    statement.account,
    statement.currency.toUpperCase(),
    statement.number,
    statement.from ?? '',
    statement.closedOn,
    amountText(statement.opening),
    amountText(statement.closing),
    formatAmount(statement.booked),
    amountText(statement.difference),
    statement.gap === null
      ? ''
      : `${statement.gap}${statement.gapReason === null ? ` (${statement.id})` : `, accepted: ${statement.gapReason}`}`,
  ]);
  print(renderTable(['account', 'currency', 'number', 'from', 'to', 'opening', 'closing', 'book', 'difference', 'gap before it'], rows));
}

function withTexts({ opening, closing, booked, difference, ...statement }: StatementView) {
  const texts = Object.entries({ opening, closing, booked, difference }).map(([name, amount]) => [
    name,
    amount === null ? null : formatAmount(amount),
  ]);
  return { ...statement, ...(Object.fromEntries(texts) as Record<string, string | null>) };
}

function amountText(amount: MinorUnits | null): string {
  return amount === null ? '' : formatAmount(amount);
}
