import { formatDecimal, parseDecimal } from './decimal.ts';
import type { Decimal } from './decimal.ts';
import { elementAt, elementsAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import type { UnmatchedReason } from './statement-item.ts';

export type Direction = 'CRDT' | 'DBIT';

/** What was booked for one entry. */
export interface Booked {
  amount: Decimal;
  currency: string;
  direction: Direction;
}

/** The booked amount of each transaction of an entry, or why it cannot be told. */
export type TransactionAmounts =
  | { ok: true; shares: { amount: Decimal; direction: Direction }[] }
  | { ok: false; reason: UnmatchedReason; detail: string };

/**
 * Shares an entry's booked amount out to its transactions, and proves that the shares make up the entry: with the sum
 * of the transactions, else with that sum less the charges of each. An entry that cannot be proven is refused as a
 * whole, as any single share of it may be the wrong one.
 */
export function transactionAmounts(entry: Element, booked: Booked, transactions: Element[]): TransactionAmounts {
  const [only] = transactions;
  if (only !== undefined && transactions.length === 1) return singleAmount(entry, booked, only);
  const gross = transactions.map((transaction) => ({
    amount: ownAmount(transaction, booked.currency, [...directPaths, ['AmtDtls', 'CntrValAmt', 'Amt'], ['AmtDtls', 'InstdAmt', 'Amt']]),
    direction: directionOf(transaction, booked),
    charges: chargesOf(transaction, booked.currency),
  }));
  const missing = gross.findIndex((share) => share.amount === undefined);
  if (missing >= 0) {
    const detail = `transaction ${missing + 1} of ${transactions.length} has no amount in ${booked.currency}, the currency of the entry`;
    return { ok: false, reason: 'transaction_amount_missing', detail };
  }
  const shares = gross.map(({ amount = 0n, direction }) => ({ amount, direction }));
  const sum = signedSum(shares, booked.direction);
  if (sum === booked.amount) return { ok: true, shares };
  const net = gross.map(({ amount = 0n, direction, charges }) => ({ amount: amount - charges, direction }));
  if (signedSum(net, booked.direction) === booked.amount && net.every(({ amount }) => amount >= 0n)) return { ok: true, shares: net };
  return sumDiffers(`the sum of the ${transactions.length} transactions`, sum, booked);
}

/**
 * One transaction is the whole entry, so the entry's amount is what was booked for it. Its own amount only serves as a
 * check: `InstdAmt` does not even that, as it is what was sent before exchange and charges.
 */
function singleAmount(entry: Element, booked: Booked, transaction: Element): TransactionAmounts {
  const direction = directionOf(transaction, booked);
  const own = ownAmount(transaction, booked.currency, directPaths);
  if (direction !== booked.direction) {
    const detail = `the entry is ${booked.direction} and its only transaction ${direction}`;
    return { ok: false, reason: 'sum_differs', detail };
  }
  const charges = chargesOf(transaction, booked.currency);
  const entryCharges = chargesOf(entry, booked.currency);
  // Charges may be told at the transaction, at the entry, or the same ones at both.
  const explained = [0n, charges, entryCharges, charges + entryCharges].some((less) => own === undefined || own - less === booked.amount);
  if (own !== undefined && !explained) return sumDiffers('the transaction', own, booked);
  return { ok: true, shares: [{ amount: booked.amount, direction }] };
}

/** From version 08 the amount stands directly in `TxDtls`, before that in `AmtDtls/TxAmt`. */
const directPaths = [['Amt'], ['AmtDtls', 'TxAmt', 'Amt']];

/** The first amount that is given in the currency of the entry. */
function ownAmount(transaction: Element, currency: string, paths: string[][]): Decimal | undefined {
  for (const path of paths) {
    const amount = elementAt(transaction, ...path);
    if (amount !== undefined && amount.currency?.toUpperCase() === currency) return parseDecimal(textAt(amount));
  }
  return undefined;
}

function directionOf(transaction: Element, booked: Booked): Direction {
  const own = textAt(transaction, 'CdtDbtInd');
  return own === 'CRDT' || own === 'DBIT' ? own : booked.direction;
}

/** `Chrgs/Amt` up to version 02, `Chrgs/Rcrd/Amt` later, else their total; negative when the bank paid more. */
function chargesOf(element: Element, currency: string): Decimal {
  const records = [...elementsAt(element, 'Chrgs', 'Rcrd'), ...elementsAt(element, 'Chrgs').filter((charge) => elementAt(charge, 'Amt'))];
  const amounts = records.length > 0 ? records.map((record) => [record, 'Amt'] as const) : totals(element);
  return amounts.reduce((sum, [charge, name]) => {
    const amount = elementAt(charge, name);
    if (amount?.currency?.toUpperCase() !== currency) return sum;
    const value = parseDecimal(textAt(amount)) ?? 0n;
    return textAt(charge, 'CdtDbtInd') === 'CRDT' ? sum - value : sum + value;
  }, 0n);
}

function totals(element: Element): (readonly [Element, string])[] {
  return elementsAt(element, 'Chrgs').map((charge) => [charge, 'TtlChrgsAndTaxAmt'] as const);
}

function signedSum(shares: { amount: Decimal; direction: Direction }[], positive: Direction): Decimal {
  return shares.reduce((sum, { amount, direction }) => (direction === positive ? sum + amount : sum - amount), 0n);
}

function sumDiffers(what: string, sum: Decimal, { amount, currency }: Booked): TransactionAmounts {
  const detail = `${what} makes ${formatDecimal(sum)} ${currency} and the entry says ${formatDecimal(amount)} ${currency}`;
  return { ok: false, reason: 'sum_differs', detail };
}
