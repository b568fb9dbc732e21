import { type Element, elementAt } from '../xml/element.ts';
import { type Account, accountId, accountOf, isNumberOfIban } from './account.ts';
import type { UnmatchedReason } from './statement-item.ts';

/** The credited IBAN, or why there is none and what identifies the account instead. */
export type CreditedAccount = { iban: string } | { reason: UnmatchedReason; detail: string; accountId: string };

/**
 * The account that a transaction (`TxDtls`) credits: its creditor account, which is a virtual IBAN where the statement's
 * is a master account, else the account of the statement. An unreadable creditor account never falls back to the
 * statement's: the money would go to the wrong holder.
 */
export function creditedAccount(transaction: Element | undefined, statement: Account): CreditedAccount {
  const creditor = accountOf(elementAt(transaction, 'RltdPties', 'CdtrAcct'));
  if (creditor === undefined || isStatementAccount(creditor, statement)) return statementAccount(statement);
  if (creditor.iban !== undefined) return { iban: creditor.iban };
  const id = accountId(creditor);
  if (creditor.invalidIban !== undefined)
    return { reason: 'iban_invalid', detail: `the creditor's IBAN ${id} is not valid`, accountId: id };
  return { reason: 'account_not_iban', detail: `the creditor's account ${id} is not an IBAN`, accountId: id };
}

/** The account of the statement, for money whose creditor account is not ours (a returned payment). */
export function statementAccount(statement: Account): CreditedAccount {
  if (statement.iban !== undefined) return { iban: statement.iban };
  const id = accountId(statement);
  if (statement.invalidIban !== undefined)
    return { reason: 'iban_invalid', detail: `the statement's IBAN ${id} is not valid`, accountId: id };
  return { reason: 'iban_missing', detail: `neither the transaction nor the statement of the account ${id} names an IBAN`, accountId: id };
}

/** Banks repeat the statement's account at each transaction, often by its domestic number. */
function isStatementAccount(creditor: Account, statement: Account): boolean {
  if (creditor.other === undefined) return false;
  return statement.iban === undefined ? creditor.other === statement.other : isNumberOfIban(creditor.other, statement.iban);
}
