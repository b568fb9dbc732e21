import { verifyBook } from '../../ledger/book/verify.ts';
import { formatAmount } from '../../platform/money.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail book verify`. Exit code 1 when a balance is not the sum of its postings. */
export async function verify(json: boolean): Promise<void> {
  const errors = await withLedger(verifyBook);
  if (errors.length > 0) process.exitCode = exitCodes.failed;
  if (json)
    return print(
      renderJson(
        errors.map((error) => Object.assign(error, { balance: formatAmount(error.balance), postings: formatAmount(error.postings) })),
      ),
    );
  if (errors.length === 0) return print('Every balance is the sum of its postings.');
  const rows = errors.map(({ account, currency, balance, postings }) => [
    account,
    currency.toUpperCase(),
    formatAmount(balance),
    formatAmount(postings),
  ]);
  print(renderTable(['account', 'currency', 'balance', 'postings'], rows));
  print('\nSomebody changed balances or postings beside the ledger: stop the service, find out who, and compare with a back-up.');
}
