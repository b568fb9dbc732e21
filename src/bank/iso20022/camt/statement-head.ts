import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { type Account, accountId } from './account.ts';
import { dateAt, dateOfTime } from './booking-date.ts';
import { decimalToMinorUnits, parseDecimal } from './decimal.ts';

/** What a statement or notification says of itself, before its entries. */
export interface StatementHead {
  /** Such as `camt.053`. */
  message: string;
  account: Account;
  /** Whatever identifies the account. */
  accountId: string;
  /** `Id`; empty when the bank gives none. */
  number: string;
  /** `ElctrncSeqNb`, else `LglSeqNb`. */
  sequence?: number;
  /** Days of `FrToDt`, `YYYY-MM-DD`. */
  from?: string;
  to?: string;
  /** The day of all bookings, of a statement that covers one. */
  day?: string;
  /** `CreDtTm` as the bank wrote it, and its day, `YYYY-MM-DD`. */
  createdAt?: string;
  createdOn?: string;
  /** The number of the page, from 1. */
  page: number;
  /** The booked balances by currency. */
  balances: StatementBalances[];
}

/** The booked balances of a statement in one currency. Negative when the account is overdrawn. */
export interface StatementBalances {
  /** ISO 4217 in lower case. */
  currency: string;
  /** `OPBD`, else `PRCD`: what was booked when the statement begins. */
  opening?: MinorUnits;
  openedOn?: string;
  /** `CLBD`: what is booked when it ends. */
  closing?: MinorUnits;
  closedOn?: string;
}

/** The codes that are kept of a balance, the better one first. Available and expected balances (`CLAV`, `FWAV`, `ITAV`) hold what is not booked. */
const openingCodes = ['OPBD', 'PRCD'];
const closingCodes = ['CLBD'];

/** More balances than a statement can have: types times currencies. */
export const mostBalances = 200;

/** Reads the head of a statement from its headers and its `Bal` elements. */
export function statementHead(
  message: string,
  account: Account,
  headers: ReadonlyMap<string, Element>,
  { balances, page, timeZone }: { balances: readonly Element[]; page: number; timeZone: string },
): StatementHead {
  const days = headers.get('FrToDt');
  const from = dateOfTime(textAt(days, 'FrDtTm') ?? textAt(days, 'FrDt'), timeZone);
  const to = dateOfTime(textAt(days, 'ToDtTm') ?? textAt(days, 'ToDt'), timeZone);
  const createdAt = textAt(headers.get('CreDtTm'));
  return withoutUndefined({
    message,
    account,
    accountId: accountId(account),
    number: textAt(headers.get('Id')) ?? '',
    sequence: sequenceOf(headers.get('ElctrncSeqNb')) ?? sequenceOf(headers.get('LglSeqNb')),
    from,
    to,
    day: days === undefined ? dayOfBalances(balances, timeZone) : onlyOf([from, to]),
    createdAt,
    createdOn: dateOfTime(createdAt, timeZone),
    page,
    balances: bookedBalances(balances, timeZone),
  });
}

/** The day on which a statement begins and ends by its balances. A balance that opens a day may have the date of the day before: then it says none. */
function dayOfBalances(balances: readonly Element[], timeZone: string): string | undefined {
  const daysOf = (codes: readonly string[]) =>
    balances.filter((balance) => codes.includes(codeOf(balance))).map((balance) => dateAt(balance, 'Dt', timeZone));
  const [opened, closed] = [daysOf(openingCodes), daysOf([...closingCodes, 'CLAV'])];
  return opened.length > 0 && closed.length > 0 ? onlyOf([...opened, ...closed]) : undefined;
}

/** What all of these are; undefined where they differ. */
function onlyOf(days: readonly (string | undefined)[]): string | undefined {
  return new Set(days).size === 1 ? days[0] : undefined;
}

function bookedBalances(elements: readonly Element[], timeZone: string): StatementBalances[] {
  const booked = elements.flatMap((element) => {
    const currency = elementAt(element, 'Amt')?.currency?.trim().toLowerCase();
    const amount = signedAmount(element);
    const code = codeOf(element);
    const day = dateAt(element, 'Dt', timeZone);
    // INTM: the balance at the end of a page, not of the statement.
    if (currency === undefined || amount === undefined || textAt(element, 'Tp', 'SubTp', 'Cd') === 'INTM') return [];
    return [{ currency, code, amount, day }];
  });
  const best = (currency: string, codes: readonly string[]) =>
    codes
      .map((code) => booked.find((balance) => balance.currency === currency && balance.code === code))
      .find((balance) => balance !== undefined);
  return [...new Set(booked.map(({ currency }) => currency))].flatMap((currency) => {
    const opening = best(currency, openingCodes);
    const closing = best(currency, closingCodes);
    if (opening === undefined && closing === undefined) return [];
    return withoutUndefined({
      currency,
      opening: opening?.amount,
      openedOn: opening?.day,
      closing: closing?.amount,
      closedOn: closing?.day,
    });
  });
}

function codeOf(balance: Element): string {
  return textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') ?? '';
}

/** Undefined for what is not an amount in minor units. */
function signedAmount(element: Element): MinorUnits | undefined {
  const decimal = parseDecimal(textAt(element, 'Amt'));
  const amount = decimal === undefined ? undefined : decimalToMinorUnits(decimal);
  if (typeof amount !== 'bigint') return undefined;
  return textAt(element, 'CdtDbtInd') === 'DBIT' ? minorUnits(0n - amount) : amount;
}

function sequenceOf(element: Element | undefined): number | undefined {
  const text = textAt(element) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
