import { readBalances } from '../../../src/ledger/book/balances.ts';
import type { TestRail } from '../bank-rail.ts';
import type { ChargeStyle } from './charges.ts';

/** Where the book does not have what the bank has booked, in cents: the bank has that, customers get the orders, and the rest is nobody's. */
export async function bookDifferences({ ledger }: TestRail, bookedCents: number, { chargesIn }: ChargeStyle): Promise<string[]> {
  const booked = BigInt(bookedCents) - (chargesIn === 'camt.054' ? await sumOfCharges(ledger) : 0n);
  const balances = await readBalances(ledger);
  const balance = (prefix: string) =>
    balances.filter(({ account }) => account.startsWith(prefix)).reduce((all, one) => all + one.amount, 0n);
  const expected: [string, bigint][] = [
    // Statements without an opening balance open the account with what explains their closing balance.
    ['assets:bank:', booked - balance('equity:openings')],
    ['liabilities:issue', -(await sumOfCredits(ledger, 'matched'))],
    ['liabilities:suspense', -(await sumOfCredits(ledger, 'unmatched'))],
  ];
  return expected.flatMap(([account, amount]) =>
    balance(account) === amount ? [] : [`${account} is ${balance(account)} in the book and should be ${amount}`],
  );
}

/** Charges that were notified, which the bank books at another time. */
async function sumOfCharges(ledger: TestRail['ledger']): Promise<bigint> {
  const debits = await ledger
    .selectFrom('bankDebits')
    .where('reference', 'like', '%#charges%')
    .where('state', '<>', 'replaced')
    .select('amount')
    .execute();
  return debits.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
}

async function sumOfCredits(ledger: TestRail['ledger'], state: 'matched' | 'unmatched'): Promise<bigint> {
  const credits = await ledger.selectFrom('credits').where('state', '=', state).select('amount').execute();
  return credits.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
}
