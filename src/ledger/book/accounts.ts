import { type RawBuilder, sql } from 'kysely';

/** The accounts of the book that every ledger has (docs/book.md, Chart of accounts). An asset's balance is positive, a liability's negative. */
export const accounts = {
  /** Credits that the bank took back after their tokens were issued. */
  claims: 'assets:claims',
  /** Bank movements that nobody has explained yet. */
  differences: 'assets:differences',
  /** Credits whose tokens are to be issued. */
  issue: 'liabilities:issue',
  /** Burnt tokens whose money is to be paid out, issued on another chain or given back. */
  payout: 'liabilities:payout',
  /** Credits that are to be returned to their payers. */
  return: 'liabilities:return',
  /** Unmatched credits. */
  suspense: 'liabilities:suspense',
  /** Payments that the bank has been sent and has not booked yet. */
  payments: 'liabilities:payments',
  /** What was there before the book began. */
  openings: 'equity:openings',
  /** The operator's own money: fees, interest, top-ups, losses. */
  operator: 'equity:operator',
} as const;

/** The account of the simulated bank, as `credits.bank_account` and `payments.bank_account` have it. */
export const sandboxBank = 'sandbox';

/** The name of a bank account in the book: what the bank has booked on it. `account` is an IBAN, or {@link sandboxBank}. */
export function bankAccount(account: string): string {
  return `assets:bank:${account}`;
}

/** The name of the account of the tokens in circulation on a network. */
export function tokensOn(chain: string): string {
  return `liabilities:tokens:${chain}`;
}

/** SQL: {@link tokensOn} for a column. */
export function tokensIn(column: string): RawBuilder<string> {
  return sql<string>`${tokensOn('')}::text || ${sql.ref(column)}`;
}

/** SQL: {@link bankAccount} for a column. */
export function bankAccountIn(column: string): RawBuilder<string> {
  return sql<string>`${bankAccount('')}::text || ${sql.ref(column)}`;
}
