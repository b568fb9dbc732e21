import { listUnexplainedDebits } from '../../ledger/bank/debits/unexplained-debits.ts';
import { formatAmount } from '../../platform/money.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail bank debits`. */
export async function listDebits(limit: number, json: boolean): Promise<void> {
  const debits = await withLedger((ledger) => listUnexplainedDebits(ledger, limit));
  if (json)
    return print(renderJson(debits.map(({ amount, ...debit }) => ({ ...debit, amount: amount === null ? null : formatAmount(amount) }))));
  if (debits.length === 0) return print('No debits to be explained.');
  const rows = debits.map((debit) => [
    debit.reference,
    debit.account,
    debit.bookedOn,
    debit.amount === null ? '?' : formatAmount(debit.amount),
    debit.currency.toUpperCase(),
    debit.payee.name ?? debit.payee.iban ?? '',
    whatIsKnown(debit),
  ]);
  print(renderTable(['reference', 'account', 'booked', 'amount', 'currency', 'payee', 'what is known'], rows));
  if (debits.length === limit) print(`Only the oldest ${limit} are shown; --limit shows more.`);
}

/** What an operator goes by: why a debit is in doubt, which credits it may take back or which debit it may repeat, or its text. */
function whatIsKnown({
  problem,
  takesBack,
  mayTakeBack,
  mayRepeat,
  remittance,
}: Awaited<ReturnType<typeof listUnexplainedDebits>>[number]): string {
  const known = [
    ...(problem === null ? [] : [problem]),
    ...(mayTakeBack.length === 0 ? [] : [`it may take ${mayTakeBack.join(' or ')} back: --as reversal-of:CREDIT[,CREDIT...]`]),
    ...(mayRepeat.length === 0 ? [] : [`it may be another report of ${mayRepeat.join(' or ')}: --as repeat-of:DEBIT`]),
  ];
  if (takesBack === null) return problem ?? remittance ?? '';
  return [`it takes a credit back (${takesBack})`, ...known].join('; ');
}
