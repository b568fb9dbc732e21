import { readBalances } from '../ledger/book/balances.ts';
import { accounts, bankAccount, tokensOn } from '../ledger/book/accounts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Chain } from '../platform/chains.ts';
import { type MinorUnits, minorUnits } from '../platform/money.ts';

/** The reserve of a currency: what the accounts of the book hold of it, in minor units. Assets and liabilities are positive. */
export interface Reserve {
  currency: string;
  /** As booked by the bank, by account. */
  bank: Record<string, MinorUnits>;
  /** Tokens in circulation, by network. */
  circulation: Partial<Record<Chain, MinorUnits>>;
  /** Money that is neither tokens nor gone. */
  underWay: {
    /** Credits whose tokens are to be issued. */
    issue: MinorUnits;
    /** Burnt tokens whose money is to be paid out, issued elsewhere or given back. */
    payout: MinorUnits;
    return: MinorUnits;
    /** Unmatched credits. */
    suspense: MinorUnits;
    /** Payments that the bank has been sent and has not booked yet. */
    payments: MinorUnits;
  };
  /** What was there before the book began: negative where tokens were in circulation and no money was received for them here. */
  openings: MinorUnits;
  /** The operator's own money. */
  operator: MinorUnits;
  /** Credits that the bank took back after their tokens were issued. */
  claims: MinorUnits;
  /** Bank movements that nobody has explained yet. */
  differences: MinorUnits;
}

/** Reads the reserve of each currency from the book, in one snapshot. Costs what has happened since the last roll-forward. */
export async function readReserve(ledger: Ledger): Promise<Reserve[]> {
  const byCurrency = Map.groupBy(await readBalances(ledger), ({ currency }) => currency);
  return [...byCurrency].map(([currency, balances]) => {
    const held = new Map(balances.map(({ account, amount }) => [account, amount]));
    const debit = (account: string) => held.get(account) ?? minorUnits(0n);
    const credit = (account: string) => minorUnits(0n - debit(account));
    const below = (prefix: string) => [...held.keys()].filter((account) => account.startsWith(prefix));
    return {
      currency,
      bank: Object.fromEntries(below(bankAccount('')).map((account) => [account.slice(bankAccount('').length), debit(account)])),
      circulation: Object.fromEntries(below(tokensOn('')).map((account) => [account.slice(tokensOn('').length), credit(account)])),
      underWay: {
        issue: credit(accounts.issue),
        payout: credit(accounts.payout),
        return: credit(accounts.return),
        suspense: credit(accounts.suspense),
        payments: credit(accounts.payments),
      },
      openings: credit(accounts.openings),
      operator: credit(accounts.operator),
      claims: debit(accounts.claims),
      differences: debit(accounts.differences),
    };
  });
}
