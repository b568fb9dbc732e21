import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import type { UnmatchedReason } from './statement-item.ts';

/** `CreditDebitCode`. */
export type Direction = 'CRDT' | 'DBIT';

/** What was booked for one entry. */
export interface BookedAmount {
  amount: Decimal;
  /** ISO 4217 in upper case. */
  currency: string;
  direction: Direction;
}

/** What was booked for one transaction of an entry, in the entry's currency. */
export interface AmountShare {
  amount: Decimal;
  direction: Direction;
}

/**
 * The booked amount of each transaction of an entry in their order, and what the bank has kept of them together; or why they cannot be determined.
 */
export type TransactionAmounts =
  | { ok: true; shares: AmountShare[]; charges: Decimal }
  | { ok: false; reason: UnmatchedReason; detail: string };

/**
 * Splits an entry's booked amount into those of its transactions, and proves that they add up to it: as they stand, less the charges of the entry, or
 * each less its charges. An entry that does not add up fails as a whole, because any of its transactions may have the
 * wrong amount.
 */
export function transactionAmounts(entry: Element, booked: BookedAmount, transactions: Element[]): TransactionAmounts {
  const [first] = transactions;
  if (first !== undefined && transactions.length === 1) return singleAmount(entry, booked, first);
  const gross = transactions.map((transaction) => ({
    amount: amountIn(booked.currency, transaction, [...directPaths, ...convertedPaths]),
    direction: directionOf(transaction, booked),
    charges: chargesOf(transaction, booked.currency),
  }));
  const missing = gross.findIndex(({ amount }) => amount === undefined);
  if (missing >= 0) {
    const detail = `transaction ${missing + 1} of ${transactions.length} has no amount in ${booked.currency}, the currency of the entry`;
    return { ok: false, reason: 'transaction_amount_missing', detail };
  }
  const shares = gross.map(({ amount = 0n, direction }) => ({ amount, direction }));
  const sum = signedSum(shares, booked.direction);
  if (sum === booked.amount) return { ok: true, shares, charges: 0n };
  // What the bank keeps of a collective credit is not the customers'.
  const charges = chargesOf(entry, booked.currency);
  if (booked.direction === 'CRDT' && charges > 0n && sum - charges === booked.amount) return { ok: true, shares, charges };
  const net = gross.map(({ amount = 0n, direction, charges }) => ({ amount: amount - charges, direction }));
  if (signedSum(net, booked.direction) === booked.amount && net.every(({ amount }) => amount >= 0n))
    return { ok: true, shares: net, charges: 0n };
  return sumDiffers(`the sum of the ${transactions.length} transactions`, sum, booked);
}

/** The booked amount of a transaction: directly in `TxDtls` from version 08, in `AmtDtls/TxAmt` before. */
const directPaths = [['Amt'], ['AmtDtls', 'TxAmt', 'Amt']];

/** The countervalue of an exchange, and the instructed amount: what was sent, before exchange and charges. */
const convertedPaths = [
  ['AmtDtls', 'CntrValAmt', 'Amt'],
  ['AmtDtls', 'InstdAmt', 'Amt'],
];

/** A single transaction is the whole entry, so the entry's amount was booked for it. Its own amount is only compared. */
function singleAmount(entry: Element, booked: BookedAmount, transaction: Element): TransactionAmounts {
  const direction = directionOf(transaction, booked);
  if (direction !== booked.direction) {
    const detail = `the entry is ${booked.direction} and its only transaction ${direction}`;
    return { ok: false, reason: 'sum_differs', detail };
  }
  const own = amountIn(booked.currency, transaction, directPaths);
  const charges = chargesOf(transaction, booked.currency);
  const entryCharges = chargesOf(entry, booked.currency);
  // Charges may be reported at the transaction, at the entry, or the same ones at both.
  const deductions = [0n, charges, entryCharges, charges + entryCharges];
  if (own !== undefined && !deductions.some((deduction) => own - deduction === booked.amount))
    return sumDiffers('the transaction', own, booked);
  return { ok: true, shares: [{ amount: booked.amount, direction }], charges: 0n };
}

/** Whether a transaction says what was booked for it, in the currency of its entry. */
export function hasAmount(transaction: Element, currency: string): boolean {
  return amountIn(currency, transaction, directPaths) !== undefined;
}

/** The first amount at one of these paths that is in the currency. */
function amountIn(currency: string, transaction: Element, paths: string[][]): Decimal | undefined {
  for (const path of paths) {
    const amount = elementAt(transaction, ...path);
    if (amount?.currency?.toUpperCase() === currency) return parseDecimal(textAt(amount));
  }
  return undefined;
}

function directionOf(transaction: Element, booked: BookedAmount): Direction {
  const direction = textAt(transaction, 'CdtDbtInd');
  return direction === 'CRDT' || direction === 'DBIT' ? direction : booked.direction;
}

/** `Chrgs/Amt` up to version 02, `Chrgs/Rcrd/Amt` later, else `Chrgs/TtlChrgsAndTaxAmt`. Negative when the bank paid more. */
export function chargesOf(element: Element, currency: string): Decimal {
  const charges = elementsAt(element, 'Chrgs');
  const records = [...elementsAt(element, 'Chrgs', 'Rcrd'), ...charges.filter((charge) => elementAt(charge, 'Amt'))];
  const [amounts, name] = records.length > 0 ? ([records, 'Amt'] as const) : ([charges, 'TtlChrgsAndTaxAmt'] as const);
  return amounts.reduce((sum, item) => {
    const amount = elementAt(item, name);
    if (amount?.currency?.toUpperCase() !== currency) return sum;
    const value = parseDecimal(textAt(amount)) ?? 0n;
    return textAt(item, 'CdtDbtInd') === 'CRDT' ? sum - value : sum + value;
  }, 0n);
}

function signedSum(shares: AmountShare[], positive: Direction): Decimal {
  return shares.reduce((sum, { amount, direction }) => (direction === positive ? sum + amount : sum - amount), 0n);
}

function sumDiffers(what: string, sum: Decimal, { amount, currency }: BookedAmount): TransactionAmounts {
  const detail = `${what} makes ${formatDecimal(sum)} ${currency} and the entry says ${formatDecimal(amount)} ${currency}`;
  return { ok: false, reason: 'sum_differs', detail };
}
