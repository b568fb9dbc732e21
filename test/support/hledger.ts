import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Balance } from '../../src/ledger/book/balances.ts';
import { formatAmount } from '../../src/platform/money.ts';

const run = promisify(execFile);

/** Whether `hledger` (a Debian package) is installed. */
export async function hasHledger(): Promise<boolean> {
  return run('hledger', ['--version']).then(
    () => true,
    () => false,
  );
}

/** What each account of a journal holds by `hledger`, sorted: `assets:differences,EUR,500.00`. */
export async function hledgerBalances(journal: string): Promise<string[]> {
  const args = ['-f', journal, 'balance', '--flat', '--no-total', '--layout=bare', '-O', 'csv'];
  const { stdout } = await run('hledger', args, { maxBuffer: 1e9 });
  const [, ...lines] = stdout.trim().split('\n');
  return lines.map((line) => line.replaceAll('"', '')).toSorted();
}

/** Balances of the book in the form of {@link hledgerBalances}. */
export function asHledgerShows(balances: readonly Balance[]): string[] {
  return balances
    .filter(({ amount }) => amount !== 0n)
    .map(({ account, currency, amount }) => `${account},${currency.toUpperCase()},${formatAmount(amount)}`)
    .toSorted();
}
