import { currencies } from '../../../platform/money.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import type { BankCredit } from '../../credit.ts';
import { type Element, elementAt } from '../xml/element.ts';
import { type Account, accountId, accountOf, isNumberOfIban } from './account.ts';
import { formatDecimal, minorUnit, minorUnitsOf } from './decimal.ts';
import type { StatementReferences } from './credit-references.ts';
import type { SourceEntry } from './entry.ts';
import { amountTextOf, descriptionOf, identifyingFacts, type Money, numberOf } from './money.ts';
import { payerOf } from './party.ts';
import { type ReturnedPayment, returnFacts, returnedPayment } from './returned-payment.ts';
import type { Problem, StatementItem } from './statement-item.ts';

/** The statement that an entry is read from. */
export interface StatementContext extends StatementReferences {
  account: Account;
  isIntraday: boolean;
}

/** Money that arrived, and why it cannot be credited, when that is known already. */
export interface IncomingMoney extends Money {
  problem?: Problem | undefined;
}

/** Turns money into a credit or, when something prevents that, into an unmatched credit with the first reason that does. */
export function moneyItem(money: IncomingMoney, source: SourceEntry, { account, references }: StatementContext): StatementItem {
  const { entry, transaction } = money;
  const returned = entry.isReversal ? returnFacts(transaction) : returnedPayment(transaction, entry.element);
  // A returned payment may keep the parties of the original, so that its creditor is the payee of our payment.
  const credited = returned === undefined ? creditedAccount(transaction, account) : statementAccount(account);
  const iban = 'iban' in credited ? credited.iban : undefined;
  const currency = entry.currency.toLowerCase();
  const payer = payerOf(transaction);
  const isPart = isLessThanEntry(money);
  const facts = withoutUndefined({
    iban,
    amount: minorUnitsOf(money.amount),
    payer,
    ...descriptionOf(money),
    reference: references.ofMoney({
      ...money,
      entryReference: source.reference,
      numbered: isPart && returned === undefined ? undefined : transaction,
      facts: identifyingFacts(money, 'iban' in credited ? credited.iban : credited.accountId, { party: payer, account: 'DbtrAcct' }),
    }),
  });
  const item = withoutUndefined({ entry: source, number: numberOf(isPart ? undefined : transaction, money) });
  const problem = problemOf(money, returned, credited);
  if (problem === undefined) return { kind: 'credit', ...item, credit: { ...facts, currency } as BankCredit };
  const { reason, detail } = problem;
  const amountText = amountTextOf(money);
  const unmatched = withoutUndefined({ ...facts, reason, detail, currency: currency || undefined, amountText, returned });
  return { kind: 'unmatched', ...item, unmatched };
}

/** Whether an entry is more than its only transaction, whose own reference then names a part of it. Another report may list the rest. */
function isLessThanEntry({ problem }: IncomingMoney): boolean {
  return problem?.reason === 'sum_differs' || problem?.reason === 'transaction_amount_missing';
}

function problemOf(
  { entry: { currency, isReversal }, amount, problem }: IncomingMoney,
  returned: ReturnedPayment | undefined,
  credited: CreditedAccount,
): Problem | undefined {
  if (problem !== undefined) return problem;
  if (amount === undefined) return { reason: 'amount_malformed', detail: 'the amount is not a decimal number with a point' };
  if (currency === '') return { reason: 'currency_missing', detail: 'the amount has no currency' };
  const supported: readonly string[] = currencies;
  if (!supported.includes(currency.toLowerCase()))
    return { reason: 'currency_unsupported', detail: `the currency ${currency.toLowerCase()} is not one of ${currencies.join(', ')}` };
  const text = `${formatDecimal(amount)} ${currency}`;
  if (amount % minorUnit !== 0n) return { reason: 'amount_too_precise', detail: `${text} has more than two decimals` };
  if (minorUnitsOf(amount) === undefined) return { reason: 'amount_too_large', detail: `${text} is more than an order can hold` };
  if (isReversal) return { reason: 'debit_reversed', detail: 'the bank takes back an earlier debit' };
  if (returned !== undefined) {
    const { description } = returned;
    return { reason: 'payment_returned', detail: `a payment of ours came back${description === undefined ? '' : `: ${description}`}` };
  }
  return 'iban' in credited ? undefined : credited;
}

/** The credited IBAN, or why there is none and what identifies the account instead. */
type CreditedAccount = { iban: string } | (Problem & { accountId: string });

/**
 * The account that a transaction (`TxDtls`) credits: its creditor account, which is a virtual IBAN where the statement's
 * is a master account, else the account of the statement. An unreadable creditor account never falls back to the
 * statement's: the money would go to the wrong holder.
 */
function creditedAccount(transaction: Element | undefined, statement: Account): CreditedAccount {
  const creditor = accountOf(elementAt(transaction, 'RltdPties', 'CdtrAcct'));
  if (creditor === undefined || isStatementAccount(creditor, statement)) return statementAccount(statement);
  return creditor.iban === undefined ? noIban(creditor, "the creditor's") : { iban: creditor.iban };
}

/** The account of the statement, for money whose creditor account is not ours (a returned payment). */
function statementAccount(statement: Account): CreditedAccount {
  if (statement.iban !== undefined) return { iban: statement.iban };
  if (statement.invalidIban !== undefined) return noIban(statement, "the statement's");
  const id = accountId(statement);
  return { reason: 'iban_missing', detail: `neither the transaction nor the statement of the account ${id} names an IBAN`, accountId: id };
}

function noIban(account: Account, whose: string): CreditedAccount {
  const id = accountId(account);
  return account.invalidIban === undefined
    ? { reason: 'account_not_iban', detail: `${whose} account ${id} is not an IBAN`, accountId: id }
    : { reason: 'iban_invalid', detail: `${whose} IBAN ${id} is not valid`, accountId: id };
}

/** Banks repeat the statement's account at each transaction, often by its domestic number. */
function isStatementAccount(creditor: Account, statement: Account): boolean {
  if (creditor.other === undefined) return false;
  return statement.iban === undefined ? creditor.other === statement.other : isNumberOfIban(creditor.other, statement.iban);
}
