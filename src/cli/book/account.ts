import { accounts } from '../../ledger/book/accounts.ts';
import { readBalances } from '../../ledger/book/balances.ts';
import { listAccountPostings } from '../../ledger/book/journal.ts';
import { StopError } from '../../platform/errors.ts';
import { type Currency, formatAmount } from '../../platform/money.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Accounts that every ledger has, also before their first posting. */
const chart: readonly string[] = Object.values(accounts);

/** Options of `mintrail book account`. */
export interface AccountOptions {
  currency?: Currency;
  limit: number;
  json?: true;
}

/** `mintrail book account`. Throws `not_found`. */
export async function showAccount(account: string, { json, ...filter }: AccountOptions): Promise<void> {
  const { balances, postings } = await withLedger(async (ledger) => ({
    balances: (await readBalances(ledger)).filter((balance) => balance.account === account),
    postings: await listAccountPostings(ledger, { account, ...filter }),
  }));
  if (balances.length === 0 && !chart.includes(account))
    throw new StopError({
      code: 'not_found',
      message: `The book has no account ${account}: \`mintrail book balances\` shows the accounts it has`,
    });
  if (json)
    return print(
      renderJson({
        balances: balances.map((balance) => Object.assign(balance, { amount: formatAmount(balance.amount) })),
        postings: postings.map((posting) => Object.assign(posting, { amount: formatAmount(posting.amount) })),
      }),
    );
  if (postings.length === 0)
    return print(`${account} has no postings${filter.currency === undefined ? '' : ` in ${filter.currency.toUpperCase()}`}.`);
  const rows = postings.map(({ entry, bookedOn, at, kind, source, currency, amount, others }) => [
    entry,
    bookedOn,
    formatTime(at),
    kind,
    source,
    others.join(', '),
    `${formatAmount(amount)} ${currency.toUpperCase()}`,
  ]);
  print(balances.map(({ currency, amount }) => `${account}: ${formatAmount(amount)} ${currency.toUpperCase()}`).join('\n'));
  print(renderTable(['entry', 'booked on', 'recorded', 'kind', 'source', 'other account', 'amount'], rows));
}
