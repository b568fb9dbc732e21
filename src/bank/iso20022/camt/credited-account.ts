import { accountName, accountOf, namesSameAccount } from './account.ts';
import type { Account } from './account.ts';
import { elementAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import type { UnmatchedReason } from './statement-item.ts';

/** The IBAN credited, or why there is none. */
export type CreditedAccount = { iban: string } | { reason: UnmatchedReason; detail: string; name: string };

/**
 * The account that a transaction credits: its creditor account, which under a master account is a virtual IBAN, else
 * the account of the statement. A creditor account that is given but cannot be read is never passed over for the
 * statement's: the money would go to the wrong holder.
 */
export function creditedAccount(transaction: Element | undefined, statement: Account): CreditedAccount {
  const own = accountOf(elementAt(transaction, 'RltdPties', 'CdtrAcct'));
  if (own === undefined || isStatementAccount(own, statement)) return statementAccount(statement);
  if (own.iban !== undefined) return { iban: own.iban };
  const name = accountName(own);
  if (own.invalidIban !== undefined) return { reason: 'iban_invalid', detail: `the creditor's IBAN ${name} is not valid`, name };
  return { reason: 'account_not_iban', detail: `the creditor's account ${name} is no IBAN`, name };
}

/** The account of the statement, for money whose creditor account says nothing about us. */
export function statementAccount(statement: Account): CreditedAccount {
  if (statement.iban !== undefined) return { iban: statement.iban };
  const name = accountName(statement);
  if (statement.invalidIban !== undefined) return { reason: 'iban_invalid', detail: `the statement's IBAN ${name} is not valid`, name };
  return { reason: 'iban_missing', detail: `neither the transaction nor the statement of the account ${name} names an IBAN`, name };
}

/** Banks repeat the statement's own account at each transaction, often by its domestic number. */
function isStatementAccount(own: Account, statement: Account): boolean {
  if (own.other === undefined) return false;
  return statement.iban === undefined ? own.other === statement.other : namesSameAccount(own.other, statement.iban);
}
