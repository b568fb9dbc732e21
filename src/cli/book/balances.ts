import { readBalances } from '../../ledger/book/balances.ts';
import { readAccountDays } from '../../ledger/book/closing.ts';
import { formatAmount } from '../../platform/money.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail book balances`. */
export async function showBalances({ on, json }: { on?: string; json?: true }): Promise<void> {
  const balances = await withLedger(async (ledger) => {
    if (on === undefined) return readBalances(ledger);
    return (await readAccountDays(ledger, on)).map(({ account, currency, closing: amount }) => ({ account, currency, amount }));
  });
  if (json) return print(renderJson(balances.map((balance) => Object.assign(balance, { amount: formatAmount(balance.amount) }))));
  if (balances.length === 0) return print('The book has no entries yet.');
  const rows = balances
    .filter(({ amount }) => amount !== 0n)
    .map(({ account, currency, amount }) => [account, currency.toUpperCase(), formatAmount(amount)]);
  if (rows.length === 0) return print('Every account is at zero.');
  print(renderTable(['account', 'currency', 'balance'], rows));
}
