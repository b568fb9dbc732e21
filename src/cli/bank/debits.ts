import type { Explanation } from '../../ledger/bank/debits/debit-explanation.ts';
import { explainDebit, listUnexplainedDebits } from '../../ledger/bank/debits/unexplained-debits.ts';
import { formatAmount } from '../../platform/money.ts';
import { operatorName } from '../operator.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail bank debits`. */
export async function listDebits(limit: number, json: boolean): Promise<void> {
  const debits = await withLedger((ledger) => listUnexplainedDebits(ledger, limit));
  if (json) return print(renderJson(debits.map(({ amount, ...debit }) => ({ ...debit, amount: formatAmount(amount) }))));
  if (debits.length === 0) return print('No debits to be explained.');
  const rows = debits.map((debit) => [
    debit.reference,
    debit.account,
    debit.bookedOn,
    formatAmount(debit.amount),
    debit.currency.toUpperCase(),
    debit.payee.name ?? debit.payee.iban ?? '',
    whatIsKnown(debit),
  ]);
  print(renderTable(['reference', 'account', 'booked', 'amount', 'currency', 'payee', 'what is known'], rows));
  if (debits.length === limit) print(`Only the oldest ${limit} are shown; --limit shows more.`);
}

/** What an operator goes by: why a debit is in doubt, which credits it may take back, or its text. */
function whatIsKnown({ problem, takesBack, mayTakeBack, remittance }: Awaited<ReturnType<typeof listUnexplainedDebits>>[number]): string {
  if (problem !== null) return problem;
  if (takesBack === null) return remittance ?? '';
  if (mayTakeBack.length === 0) return `it takes a credit back (${takesBack})`;
  return `it may take ${mayTakeBack.join(' or ')} back (${takesBack}): ask the bank, then explain it --as reversal-of:CREDIT[,CREDIT...]`;
}

/** Options of `mintrail bank explain`. */
export interface ExplainOptions {
  as: Explanation;
  reason: string;
  json?: boolean;
}

/** `mintrail bank explain`. */
export async function explain(reference: string, { as, reason, json = false }: ExplainOptions): Promise<void> {
  const debit = await withLedger((ledger) => explainDebit(ledger, reference, { explanation: as, reason, operator: operatorName() }));
  const { amount, currency, ...facts } = debit;
  if (json) return print(renderJson({ ...facts, amount: formatAmount(amount), currency, as, reason }));
  print(`${reference}, ${formatAmount(amount)} ${currency.toUpperCase()}, is explained as ${as.as}.`);
}
