import type { BankCredit } from '../../credit.ts';
import { currencies } from '../../../platform/money.ts';
import { accountName, accountOf } from './account.ts';
import type { Account } from './account.ts';
import { dayAt } from './booking-date.ts';
import { creditedAccount, statementAccount } from './credited-account.ts';
import type { CreditedAccount } from './credited-account.ts';
import { formatDecimal, minorUnitsOf } from './decimal.ts';
import type { Decimal } from './decimal.ts';
import { elementAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { payerOf } from './party.ts';
import { realReference } from '../placeholder.ts';
import { referenceFacts } from './credit-references.ts';
import type { ReferenceBook } from './credit-references.ts';
import { remittanceOf } from './remittance.ts';
import { returnFacts, returnedPayment } from './returned-payment.ts';
import type { EntryPlace, ReturnedPayment, StatementItem, UnmatchedReason } from './statement-item.ts';

/** Money that arrived: an entry, or one transaction of it. */
export interface Money {
  entry: Element;
  transaction?: Element | undefined;
  /** Position of the transaction in the entry, from 1; 1 of 1 for an entry as a whole. */
  index: number;
  count: number;
  /** `undefined` where the bank's text is no amount. */
  amount: Decimal | undefined;
  /** ISO 4217 in upper case, empty when missing. */
  currency: string;
  /** The entry takes an earlier debit back (`RvslInd`). */
  reversal: boolean;
  /** Why it is not creditable, when that is already known. */
  problem?: Problem | undefined;
}

/** A reason with its sentence. */
export interface Problem {
  reason: UnmatchedReason;
  detail: string;
}

/** Turns money into a credit when nothing speaks against it, else into an unmatched credit with the first reason that does. */
export function moneyItem(money: Money, account: Account, references: ReferenceBook, place: EntryPlace): StatementItem {
  const { entry, transaction, index, count, reversal } = money;
  const returned = reversal ? returnFacts(transaction) : returnedPayment(transaction, entry);
  // A returned payment may keep the parties of the original: its creditor is then whom we had paid.
  const credited = returned === undefined ? creditedAccount(transaction, account) : statementAccount(account);
  const currency = money.currency.toLowerCase();
  const units = money.amount === undefined ? undefined : minorUnitsOf(money.amount);
  const facts = {
    ...('iban' in credited && { iban: credited.iban }),
    ...(typeof units === 'bigint' && { amount: units }),
    ...descriptionOf(money),
    reference: references.item({ entryReference: place.reference, entry, transaction, index, count, facts: hashFacts(money, credited) }),
  };
  const problem = problemOf(money, units, returned, credited);
  if (problem === undefined) return { kind: 'credit', entry: place, credit: { ...facts, currency } as BankCredit };
  const amountText = money.amount === undefined ? textAt(entry, 'Amt') : formatDecimal(money.amount);
  return {
    kind: 'unmatched',
    entry: place,
    unmatched: {
      ...facts,
      reason: problem.reason,
      detail: problem.detail,
      ...(currency && { currency }),
      ...(amountText && { amountText }),
      ...(returned && { returned }),
    },
  };
}

function descriptionOf({ entry, transaction, count }: Money) {
  const endToEndId = realReference(textAt(transaction, 'Refs', 'EndToEndId'));
  const bookedOn = dayAt(entry, 'BookgDt');
  // What the bank says of an entry as a whole belongs to no single one of its transactions.
  const remittance = remittanceOf(transaction, count === 1 ? entry : undefined);
  return { payer: payerOf(transaction), ...remittance, ...(endToEndId && { endToEndId }), ...(bookedOn && { bookedOn }) };
}

/** What every report of the same booking repeats; see `ReferenceBook`. */
function hashFacts({ entry, transaction, amount, currency }: Money, credited: CreditedAccount): (string | undefined)[] {
  const payerAccount = accountOf(elementAt(transaction, 'RltdPties', 'DbtrAcct'));
  return [
    'iban' in credited ? credited.iban : credited.name,
    dayAt(entry, 'BookgDt') ?? dayAt(entry, 'ValDt'),
    amount === undefined ? textAt(entry, 'Amt') : formatDecimal(amount),
    currency,
    payerAccount === undefined ? payerOf(transaction).name?.toUpperCase() : accountName(payerAccount),
    ...referenceFacts(transaction),
  ];
}

function problemOf(
  { amount, currency, reversal, problem }: Money,
  units: ReturnType<typeof minorUnitsOf> | undefined,
  returned: ReturnedPayment | undefined,
  credited: CreditedAccount,
): Problem | undefined {
  if (problem !== undefined) return problem;
  if (amount === undefined) return { reason: 'amount_malformed', detail: 'the amount is no decimal number with a point' };
  if (currency === '') return { reason: 'currency_missing', detail: 'the amount names no currency' };
  const supported: readonly string[] = currencies;
  if (!supported.includes(currency.toLowerCase())) {
    return { reason: 'currency_unsupported', detail: `the currency ${currency.toLowerCase()} is not one of ${currencies.join(', ')}` };
  }
  const text = `${formatDecimal(amount)} ${currency}`;
  if (units === 'too_precise') return { reason: 'amount_too_precise', detail: `${text} has more than two decimals` };
  if (units === 'too_large') return { reason: 'amount_too_large', detail: `${text} is more than an order can hold` };
  if (reversal) return { reason: 'debit_reversed', detail: 'the bank takes back an earlier debit' };
  if (returned !== undefined) {
    const why = returned.reason ?? returned.text;
    return { reason: 'payment_returned', detail: `a payment of ours came back${why === undefined ? '' : `: ${why}`}` };
  }
  return 'iban' in credited ? undefined : { reason: credited.reason, detail: credited.detail };
}
