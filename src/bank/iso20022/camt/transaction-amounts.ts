import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { amountOf, type Decimal, formatDecimal } from './numbers.ts';
import { directionAt, type Entry, type Problem } from './entry.ts';

/** What was booked for one transaction of an entry, in the entry's currency. */
interface AmountShare {
  amount: Decimal;
  direction: Entry['direction'];
  /** What banks have kept of it, or will, as the message says: another message may give the amount before or after that. */
  charges: Decimal;
}

/** The booked amount of each transaction of an entry in their order, and what the bank has kept of them together. */
export interface Split {
  shares: AmountShare[];
  charges: Decimal;
}

type SplitResult = ({ ok: true } & Split) | ({ ok: false } & Problem);

/**
 * Splits an amount that was booked for an entry into those of its transactions, and proves that they add up to it: as they stand, less the
 * charges of the entry, or each less its charges. An entry that does not add up fails as a whole, because any of its transactions may have
 * the wrong amount.
 */
export function transactionAmounts(entry: Entry, booked: Decimal): SplitResult {
  const { element, currency, direction, transactions } = entry;
  const [first] = transactions;
  if (first !== undefined && transactions.length === 1) return singleAmount(entry, booked, first);
  const gross = transactions.map((transaction) => ({
    amount: amountIn(currency, transaction, [...directPaths, ...convertedPaths]),
    direction: directionAt(transaction) ?? direction,
    charges: chargesOf(transaction, currency),
  }));
  const missing = gross.findIndex(({ amount }) => amount === undefined);
  if (missing >= 0) {
    const detail = `transaction ${missing + 1} of ${transactions.length} has no amount in ${currency}, the currency of the entry`;
    return { ok: false, reason: 'transaction_amount_missing', detail };
  }
  const shares = gross.map(({ amount = 0n, direction, charges }, index) => ({
    amount,
    direction,
    charges: charges || instructedMore(transactions[index], amount, currency),
  }));
  const sum = signedSum(shares, direction);
  if (sum === booked) return { ok: true, shares, charges: 0n };
  // What the bank keeps of a collective credit is not the customers'.
  const charges = chargesOf(element, currency);
  if (direction === 'CRDT' && charges > 0n && sum - charges === booked) return { ok: true, shares, charges };
  const net = gross.map(({ amount = 0n, direction, charges }) => ({ amount: amount - charges, direction, charges }));
  if (signedSum(net, direction) === booked && net.every(({ amount }) => amount >= 0n)) return { ok: true, shares: net, charges: 0n };
  return sumDiffers(entry, booked, { what: `the sum of the ${transactions.length} transactions`, sum });
}

/** The booked amount of a transaction: directly in `TxDtls` from version 08, in `AmtDtls/TxAmt` before. */
const directPaths = [['Amt'], ['AmtDtls', 'TxAmt', 'Amt']];

/** The countervalue of an exchange, and the instructed amount: what was sent, before exchange and charges. */
const convertedPaths = ['CntrValAmt', 'InstdAmt'].map((name) => ['AmtDtls', name, 'Amt']);

/** A single transaction is the whole entry, so the entry's amount was booked for it. Its own amount is only compared. */
function singleAmount(entry: Entry, booked: Decimal, transaction: Element): SplitResult {
  const direction = directionAt(transaction) ?? entry.direction;
  if (direction !== entry.direction)
    return { ok: false, reason: 'sum_differs', detail: `the entry is ${entry.direction} and its only transaction ${direction}` };
  const own = amountIn(entry.currency, transaction, directPaths);
  const charges = chargesOf(transaction, entry.currency);
  const entryCharges = chargesOf(entry.element, entry.currency);
  // Charges may be reported at the transaction, at the entry, or the same ones at both.
  const deductions = [0n, charges, entryCharges, charges + entryCharges];
  if (own !== undefined && !deductions.some((deduction) => own - deduction === booked))
    return sumDiffers(entry, booked, { what: 'the transaction', sum: own });
  const kept = (own ?? booked) - booked || charges || entryCharges || instructedMore(transaction, booked, entry.currency);
  return { ok: true, shares: [{ amount: booked, direction, charges: kept }], charges: 0n };
}

/** What less than the payer sent has arrived, in the same currency: banks on the way may have kept it. */
function instructedMore(transaction: Element | undefined, amount: Decimal, currency: string): Decimal {
  const instructed = amountOf(elementAt(transaction, 'AmtDtls', 'InstdAmt', 'Amt'));
  const more = instructed.currency === currency ? (instructed.amount ?? 0n) - amount : 0n;
  return more > 0n ? more : 0n;
}

/** Whether a transaction says what was booked for it, in the currency of its entry. */
export function hasAmount(transaction: Element, currency: string): boolean {
  return amountIn(currency, transaction, directPaths) !== undefined;
}

/** The first amount at one of these paths that is in the currency. */
function amountIn(currency: string, transaction: Element, paths: string[][]): Decimal | undefined {
  return paths.map((path) => amountOf(elementAt(transaction, ...path))).find((amount) => amount.currency === currency)?.amount;
}

/** `Chrgs/Amt` up to version 02, `Chrgs/Rcrd/Amt` later, else `Chrgs/TtlChrgsAndTaxAmt`. Negative when the bank paid more. */
export function chargesOf(element: Element, currency: string): Decimal {
  const charges = elementsAt(element, 'Chrgs');
  const records = [...elementsAt(element, 'Chrgs', 'Rcrd'), ...charges.filter((charge) => elementAt(charge, 'Amt'))];
  const [amounts, name] = records.length > 0 ? ([records, 'Amt'] as const) : ([charges, 'TtlChrgsAndTaxAmt'] as const);
  return amounts.reduce((sum, item) => {
    const charge = amountOf(elementAt(item, name));
    if (charge.currency !== currency) return sum;
    const { amount = 0n } = charge;
    return textAt(item, 'CdtDbtInd') === 'CRDT' ? sum - amount : sum + amount;
  }, 0n);
}

function signedSum(shares: Pick<AmountShare, 'amount' | 'direction'>[], positive: AmountShare['direction']): Decimal {
  return shares.reduce((sum, { amount, direction }) => (direction === positive ? sum + amount : sum - amount), 0n);
}

function sumDiffers({ currency }: Entry, booked: Decimal, { what, sum }: { what: string; sum: Decimal }): SplitResult {
  const detail = `${what} makes ${formatDecimal(sum)} ${currency} and the entry says ${formatDecimal(booked)} ${currency}`;
  return { ok: false, reason: 'sum_differs', detail };
}
