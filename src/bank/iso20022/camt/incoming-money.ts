import { currencies } from '../../../platform/money.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import type { BankCredit } from '../../credit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { type Account, accountId, accountOf, isNumberOfIban } from './account.ts';
import { type CreditReferences, payerReferences, servicerReference, uetrOf } from './credit-references.ts';
import { type Decimal, decimalToMinorUnits, formatDecimal } from './decimal.ts';
import { payerOf } from './party.ts';
import { remittanceOf } from './remittance.ts';
import { returnFacts, returnedPayment } from './returned-payment.ts';
import type { ReturnedPayment, SourceEntry, StatementItem, UnmatchedReason } from './statement-item.ts';

/** Money that arrived: an entry as a whole, or one transaction of it. */
export interface IncomingMoney {
  entry: Element;
  transaction?: Element | undefined;
  /** Position of the transaction in the entry, from 1, and how many there are; 1 of 1 for an entry as a whole. */
  index: number;
  count: number;
  /** `undefined` when the bank's text is not an amount. */
  amount: Decimal | undefined;
  /** ISO 4217 in upper case; empty when missing. */
  currency: string;
  /** `YYYY-MM-DD`. */
  bookedOn: string | undefined;
  /** The entry takes back an earlier debit (`RvslInd`). */
  isReversal: boolean;
  /** Why it cannot be credited, when that is known already. */
  problem?: Problem | undefined;
}

/** Why money cannot be credited: a code, and a clause for an operator. */
export interface Problem {
  reason: UnmatchedReason;
  detail: string;
}

/** The statement that money is read from. */
export interface MoneyContext {
  account: Account;
  references: CreditReferences;
  source: SourceEntry;
}

/** Turns money into a credit or, when something prevents that, into an unmatched credit with the first reason that does. */
export function moneyItem(money: IncomingMoney, { account, references, source }: MoneyContext): StatementItem {
  const { entry, transaction, index, count, isReversal } = money;
  const returned = isReversal ? returnFacts(transaction) : returnedPayment(transaction, entry);
  // A returned payment may keep the parties of the original, so that its creditor is the payee of our payment.
  const credited = returned === undefined ? creditedAccount(transaction, account) : statementAccount(account);
  const currency = money.currency.toLowerCase();
  const minorUnits = money.amount === undefined ? undefined : decimalToMinorUnits(money.amount);
  const facts = withoutUndefined({
    iban: 'iban' in credited ? credited.iban : undefined,
    amount: typeof minorUnits === 'bigint' ? minorUnits : undefined,
    ...descriptionOf(money),
    reference: references.ofMoney({
      entryReference: source.reference,
      entry,
      transaction: isMoreThan(money) && returned === undefined ? undefined : transaction,
      index,
      count,
      facts: identifyingFacts(money, credited),
    }),
  });
  const own = isMoreThan(money) ? undefined : servicerReference(transaction);
  const item = withoutUndefined({ entry: source, number: own ?? (count === 1 ? source.bankNumber : undefined) });
  const problem = problemOf(money, minorUnits, returned, credited);
  if (problem === undefined) return { kind: 'credit', ...item, credit: { ...facts, currency } as BankCredit };
  const amountText = money.amount === undefined ? textAt(entry, 'Amt') : formatDecimal(money.amount);
  const { reason, detail } = problem;
  const unmatched = withoutUndefined({ ...facts, reason, detail, currency: currency || undefined, amountText, returned });
  return { kind: 'unmatched', ...item, unmatched };
}

/** Whether an entry is more than its only transaction, whose own reference then names a part of it. Another report may list the rest. */
function isMoreThan({ problem }: IncomingMoney): boolean {
  return problem?.reason === 'sum_differs' || problem?.reason === 'transaction_amount_missing';
}

function descriptionOf({ entry, transaction, count, bookedOn }: IncomingMoney) {
  return {
    payer: payerOf(transaction),
    // The bank's text on an entry with several transactions describes none of them.
    ...remittanceOf(transaction, count === 1 ? entry : undefined),
    endToEndId: realReference(textAt(transaction, 'Refs', 'EndToEndId')),
    uetr: uetrOf(transaction),
    bookedOn,
  };
}

/** What every report of the same booking repeats; see `CreditReferences`. */
function identifyingFacts(
  { entry, transaction, amount, currency, bookedOn }: IncomingMoney,
  credited: CreditedAccount,
): (string | undefined)[] {
  const payerAccount = accountOf(elementAt(transaction, 'RltdPties', 'DbtrAcct'));
  return [
    'iban' in credited ? credited.iban : credited.accountId,
    bookedOn,
    amount === undefined ? textAt(entry, 'Amt') : formatDecimal(amount),
    currency,
    payerAccount === undefined ? payerOf(transaction).name?.toUpperCase() : accountId(payerAccount),
    ...payerReferences(transaction),
  ];
}

function problemOf(
  { amount, currency, isReversal, problem }: IncomingMoney,
  minorUnits: ReturnType<typeof decimalToMinorUnits> | undefined,
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
  if (minorUnits === 'too_precise') return { reason: 'amount_too_precise', detail: `${text} has more than two decimals` };
  if (minorUnits === 'too_large') return { reason: 'amount_too_large', detail: `${text} is more than an order can hold` };
  if (isReversal) return { reason: 'debit_reversed', detail: 'the bank takes back an earlier debit' };
  if (returned !== undefined) {
    const { description } = returned;
    return { reason: 'payment_returned', detail: `a payment of ours came back${description === undefined ? '' : `: ${description}`}` };
  }
  return 'iban' in credited ? undefined : { reason: credited.reason, detail: credited.detail };
}

/** The credited IBAN, or why there is none and what identifies the account instead. */
type CreditedAccount = { iban: string } | { reason: UnmatchedReason; detail: string; accountId: string };

/**
 * The account that a transaction (`TxDtls`) credits: its creditor account, which is a virtual IBAN where the statement's
 * is a master account, else the account of the statement. An unreadable creditor account never falls back to the
 * statement's: the money would go to the wrong holder.
 */
function creditedAccount(transaction: Element | undefined, statement: Account): CreditedAccount {
  const creditor = accountOf(elementAt(transaction, 'RltdPties', 'CdtrAcct'));
  if (creditor === undefined || isStatementAccount(creditor, statement)) return statementAccount(statement);
  if (creditor.iban !== undefined) return { iban: creditor.iban };
  const id = accountId(creditor);
  if (creditor.invalidIban !== undefined)
    return { reason: 'iban_invalid', detail: `the creditor's IBAN ${id} is not valid`, accountId: id };
  return { reason: 'account_not_iban', detail: `the creditor's account ${id} is not an IBAN`, accountId: id };
}

/** The account of the statement, for money whose creditor account is not ours (a returned payment). */
function statementAccount(statement: Account): CreditedAccount {
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
