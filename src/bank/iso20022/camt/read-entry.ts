import { withoutUndefined } from '../../without-undefined.ts';
import type { BookedDebit, BankCredit } from '../../credit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementsAt, textAt, elementAt } from '../xml/element.ts';
import { createDebitReader, filesOf } from './booked-debits.ts';
import { type Decimal, formatDecimal, minorUnitsOf, minorUnit } from './numbers.ts';
import {
  type Entry,
  type SourceEntry,
  unbookedStatuses,
  type Problem,
  type SkippedItem,
  type StatementEntry,
  type StatementItem,
} from './entry.ts';
import { servicerReference, amountTextOf, descriptionOf, identifyingFacts, type Money, numberOf } from './money.ts';
import { chargesOf, hasAmount, transactionAmounts } from './transaction-amounts.ts';
import { currencies } from '../../../platform/money.ts';
import { type Account, accountId, accountOf, isNumberOfIban, payerOf } from './party.ts';
import type { StatementReferences } from './credit-references.ts';
import { isOwnId, type ReturnedPayment, returnFacts, returnedPayment } from './returned-payment.ts';

type DebitReader = ReturnType<typeof createDebitReader>;

/** Reads one entry: one item or, when it lists several transactions, one for each. */
export function readEntry(entry: Entry, context: StatementContext): StatementEntry {
  const debits = createDebitReader(entry, context.debitReferences);
  const skipped = skippedEntry(entry, debits, context.isIntraday);
  if (skipped !== undefined) return { source: entry.source, items: [skipped] };
  const charges = minorUnitsOf(chargesOf(entry.element, entry.currency)) || undefined;
  const source: SourceEntry = withoutUndefined({ ...entry.source, charges, reference: context.references.ofEntry(entry) });
  return { source, items: [...itemsOf(entry, source, debits, context)] };
}

function* itemsOf(entry: Entry, source: SourceEntry, debits: DebitReader, context: StatementContext): Generator<StatementItem> {
  const { amount, currency, transactions } = entry;
  const skip = (reason: SkippedItem['reason'], detail: string, about: SkippedAbout = {}) => skippedItem(entry, { reason, detail }, about);
  const asMoney = (money: Omit<IncomingMoney, 'entry'>) => moneyItem({ entry, ...money }, source, context);
  // The transaction's facts are those of the entry when there is only one, even if its amount is in doubt.
  const onlyTransaction = transactions.length === 1 ? transactions[0] : undefined;
  const asWhole = (problem?: Problem, transaction = onlyTransaction) => asMoney({ transaction, index: 1, count: 1, amount, problem });

  const problem = entryProblem(entry);
  if (problem !== undefined || amount === undefined || currency === '') return yield asWhole(problem);
  if (amount === 0n && transactions.length < 2) return yield skip('amount_zero', 'its amount is zero');
  if (transactions.length === 0) return yield asWhole(missingDetails(entry));
  const partial = onlyTransaction === undefined ? undefined : listedInPart(entry, onlyTransaction);
  // The transaction's facts are not those of the sum.
  if (partial !== undefined) return yield asMoney({ index: 1, count: 1, amount, problem: partial });
  const split = transactionAmounts(entry, amount);
  if (!split.ok) return yield amount === 0n ? skip('amount_zero', split.detail) : asWhole(split);
  const { shares, charges } = split;
  if (charges > 0n) yield skip('debit', 'the bank charges it', { amount: charges, debits: debits.ofCharges(charges) });
  for (const [position, share] of shares.entries()) {
    const transaction = transactions[position];
    const { amount, charges } = share;
    const about = { transaction, amount };
    if (share.direction === 'DBIT') {
      const own = entry.isReversal ? [] : debits.ofTransaction(transaction, position + 1, share.amount);
      yield skip('debit', 'the transaction is a debit', { ...about, debits: own });
    } else if (amount === 0n) yield skip('amount_zero', 'its amount is zero', about);
    else yield asMoney({ ...about, index: position + 1, count: transactions.length, charges });
  }
}

/** The item of an entry that holds no arriving money; `undefined` when it may hold some. */
function skippedEntry(entry: Entry, debits: DebitReader, isIntraday: boolean): StatementItem | undefined {
  const { status, direction, isReversal } = entry;
  const skip = (reason: SkippedItem['reason'], detail: string, about?: SkippedAbout) => skippedItem(entry, { reason, detail }, about);
  // What an intraday report does not say to be booked, the statement of the day will.
  const isUnbooked = isIntraday ? status !== 'BOOK' : status !== undefined && unbookedStatuses.has(status);
  if (isUnbooked) return skip('not_booked', `its status is ${status ?? 'missing'}`);
  if (direction === 'DBIT' && (isReversal || !holdsCredits(entry))) {
    const about = { debits: doubted(entry, debits.ofEntry()) };
    return isReversal ? skip('credit_reversed', 'the bank takes back an earlier credit', about) : skip('debit', 'it is a debit', about);
  }
  if (!isIntraday || isReferenced(entry)) return undefined;
  return skip('unreferenced', 'the bank gives it no reference yet by which its statement could be recognised');
}

/** Debits, with a doubt where the status of their entry does not say that it is booked. */
function doubted({ status }: Entry, debits: BookedDebit[]): BookedDebit[] {
  return status === 'BOOK' ? debits : debits.map((debit) => ({ doubt: unknownStatus(status), ...debit }));
}

function unknownStatus(status: string | undefined): string {
  return `whether it is booked is unknown: its status is ${status ?? 'missing'}`;
}

/** Whether the entry or each of its transactions has a reference. Without one the statement, which has it, would issue again. */
function isReferenced({ source, transactions }: Entry): boolean {
  if (source.bankNumber !== undefined) return true;
  return transactions.length > 0 && transactions.every((transaction) => servicerReference(transaction) !== undefined);
}

/** A netted entry can be a debit and hold credits. They are arriving money if the transactions add up to the entry. */
function holdsCredits(entry: Entry): boolean {
  const { status, amount, transactions } = entry;
  const directions = new Set(transactions.map((transaction) => textAt(transaction, 'CdtDbtInd') ?? 'DBIT'));
  return status === 'BOOK' && directions.size > 1 && amount !== undefined && transactionAmounts(entry, amount).ok;
}

/** What is unknown of an entry, whatever its amount and its transactions are. */
function entryProblem({ element, status, direction }: Entry): Problem | undefined {
  const doubt = status === 'BOOK' ? undefined : unknownStatus(status);
  if (direction !== undefined) return doubt === undefined ? undefined : { reason: 'status_unknown', detail: doubt };
  const which = `whether it is a credit is unknown: CdtDbtInd is ${textAt(element, 'CdtDbtInd') ?? 'missing'}`;
  return { reason: 'direction_unknown', detail: doubt === undefined ? which : `${which}; ${doubt}` };
}

/** Why an entry is more than the only transaction that it lists, or may be. */
function listedInPart({ element, currency, source: { batchCount } }: Entry, transaction: Element): Problem | undefined {
  if ((batchCount ?? 1) > 1)
    return { reason: 'batch_without_details', detail: `it is a batch of ${batchCount} transactions, one of which is listed` };
  // A transaction without an amount may be one of those in the other message.
  return batchCount === 1 || hasAmount(transaction, currency) ? undefined : detailsElsewhere(element);
}

function detailsElsewhere(element: Element): Problem | undefined {
  const message = textAt(element, 'AddtlInfInd', 'MsgNmId') ?? textAt(element, 'AddtlInfInd', 'MsgId');
  if (message === undefined) return undefined;
  return { reason: 'details_in_other_message', detail: `its transactions are in another message, ${message}` };
}

/** Why an entry without transactions is not a single payment to the statement's account; `undefined` when it is. */
function missingDetails({ element, source: { batchCount } }: Entry): Problem | undefined {
  const elsewhere = detailsElsewhere(element);
  if (elsewhere !== undefined) return elsewhere;
  const batches = elementsAt(element, 'NtryDtls', 'Btch');
  if (batches.length === 0 || (batches.length === 1 && batchCount === 1)) return undefined;
  const detail = `it is a batch of ${batchCount ?? 'an unknown number of'} transactions, none of which is listed`;
  return { reason: 'batch_without_details', detail };
}

/** What of an entry is skipped, if it is not all, and what it means for the book. */
interface SkippedAbout extends Pick<SkippedItem, 'debits'> {
  transaction?: Element | undefined;
  amount?: Entry['amount'];
}

/** The item of an entry, or of one transaction of it, that is not arriving money. */
function skippedItem(
  entry: Entry,
  { reason, detail }: Pick<SkippedItem, 'reason' | 'detail'>,
  { transaction, amount = entry.amount, debits = [] }: SkippedAbout = {},
): StatementItem {
  const { currency } = entry;
  const amountText = amount === undefined ? '' : ` (${formatDecimal(amount)} ${currency})`;
  return {
    kind: 'skipped',
    skipped: withoutUndefined({
      reason,
      detail: `${detail}${amountText}`,
      amount: minorUnitsOf(amount),
      currency: currency.toLowerCase() || undefined,
      endToEndId: realReference(textAt(transaction, 'Refs', 'EndToEndId')),
      debits: debits.length === 0 ? undefined : debits,
    }),
  };
}

/** The statement that an entry is read from. */
export interface StatementContext extends StatementReferences {
  account: Account;
  isIntraday: boolean;
}

/** Money that arrived, and why it cannot be credited, when that is known already. */
export interface IncomingMoney extends Money {
  problem?: Problem | undefined;
  /** As the message says; those of its entry where it is one as a whole. */
  charges?: Decimal;
}

/** Turns money into a credit, with the first reason that prevents that it becomes an order. */
export function moneyItem(money: IncomingMoney, source: SourceEntry, { account, references }: StatementContext): StatementItem {
  const { entry, transaction } = money;
  const about = entry.isReversal ? returnFacts(transaction) : returnedPayment(transaction, entry.element);
  const files = about === undefined || money.count > 1 || isOwnId(transaction) ? [] : filesOf(entry.element, transaction);
  const returned: ReturnedPayment | undefined = files.length === 0 ? about : { ...about, files };
  // A returned payment may keep the parties of the original, so that its creditor is the payee of our payment.
  const credited = returned === undefined ? creditedAccount(transaction, account) : statementAccount(account);
  const iban = 'iban' in credited ? credited.iban : undefined;
  const payer = payerOf(transaction);
  const isPart = isLessThanEntry(money);
  const problem = problemOf(money, returned, credited);
  const more = problem && withoutUndefined({ amountText: amountTextOf(money), returned });
  const credit: BankCredit = withoutUndefined({
    iban,
    amount: minorUnitsOf(money.amount),
    charges: money.charges === undefined ? source.charges : minorUnitsOf(money.charges) || undefined,
    currency: entry.currency.toLowerCase() || undefined,
    payer,
    ...descriptionOf(money),
    reference: references.ofMoney({
      ...money,
      entryReference: source.reference,
      numbered: isPart && returned === undefined ? undefined : transaction,
      facts: identifyingFacts(money, 'iban' in credited ? credited.iban : credited.accountId, { party: payer, account: 'DbtrAcct' }),
    }),
    number: numberOf(isPart ? undefined : transaction, money),
    unmatched: problem?.detail,
    railReason: problem?.reason,
    facts: more && Object.keys(more).length > 0 ? more : undefined,
  });
  return { kind: 'credit', credit };
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
  // Which payments of ours came back in one sum is known here, or to the operator.
  if (problem !== undefined && (problem.reason !== 'batch_without_details' || returned === undefined)) return problem;
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
