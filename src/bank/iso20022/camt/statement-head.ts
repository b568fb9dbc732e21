import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import { type Element, elementAt, elementsAt, isTrueAt, textAt } from '../xml/element.ts';
import type { FilePart } from '../xml/message-parts.ts';
import { type Account, accountId, accountOf } from './party.ts';
import { dateAt, dateOfTime, amountOf, minorUnitsOf, withinLargest, wholeNumberAt } from './numbers.ts';

/** What a statement or notification says of itself, before its entries. */
export type StatementHead = ReturnType<typeof statementHead>;

/** The booked balances of a statement in one currency. Negative when the account is overdrawn. */
export type StatementBalances = StatementHead['balances'][number];

/** The balances that are kept, the better one first. Available and expected ones (`CLAV`, `FWAV`, `ITAV`) hold what is not booked. */
const openingCodes = ['OPBD', 'PRCD'];
const closingCodes = ['CLBD'];

/** `PgNb` is a `Max5NumericText`. */
const mostPages = 99_999;

/** Reads the head of a statement from the headers of a part of it. Days are `YYYY-MM-DD`. Undefined without an account. */
export function readHead(part: FilePart, timeZone: string): StatementHead | undefined {
  const account = accountOf(elementAt(part.sectionHeaders, 'Acct'));
  return account === undefined ? undefined : statementHead(part, account, timeZone);
}

function statementHead(part: FilePart, account: Account, timeZone: string) {
  const { message, sectionHeaders: headers } = part;
  const period = elementAt(headers, 'FrToDt');
  const [from, to] = ['Fr', 'To'].map((name) => dateOfTime(textAt(period, `${name}DtTm`) ?? textAt(period, `${name}Dt`), timeZone));
  const createdAt = textAt(headers, 'CreDtTm');
  const balances = balancesOf(headers, timeZone);
  return withoutUndefined({
    /** Such as `camt.053`. */
    message,
    account,
    /** Whatever identifies the account. */
    accountId: accountId(account),
    /** `Id`; empty when the bank gives none. */
    number: textAt(headers, 'Id') ?? '',
    /** `ElctrncSeqNb`, else `LglSeqNb`. */
    sequence: sequenceAt(headers, 'ElctrncSeqNb') ?? sequenceAt(headers, 'LglSeqNb'),
    from,
    to,
    /** The day of all bookings, of a statement that covers one. */
    day: period === undefined ? dayOfBalances(balances) : onlyOf([from, to]),
    /** `CreDtTm` as the bank wrote it, and its day. */
    createdAt,
    createdOn: dateOfTime(createdAt, timeZone),
    /** The number of the page, from 1, of a statement in several. */
    page: isOnlyPage(part) ? undefined : (pageNumberOf(paginationsOf(part)[0]) ?? 1),
    isLastPage: isLastPage(part),
    balances: bookedBalances(balances),
  });
}

/** Whether a statement is all on this page. */
export function isOnlyPage(part: FilePart): boolean {
  return isLastPage(part) && paginationsOf(part).every((pagination) => pageNumberOf(pagination) === 1);
}

/** Whether no page of a statement follows. */
export function isLastPage(part: FilePart): boolean {
  return paginationsOf(part).every((pagination) => isTrueAt(pagination, 'LastPgInd'));
}

function paginationsOf({ messageHeaders, sectionHeaders }: FilePart): Element[] {
  const own = ['StmtPgntn', 'NtfctnPgntn', 'RptPgntn'].map((name) => elementAt(sectionHeaders, name));
  return [...own, elementAt(messageHeaders, 'GrpHdr', 'MsgPgntn')].filter((element) => element !== undefined);
}

/** `PgNb`. Throws `statement_malformed`. */
function pageNumberOf(pagination: Element | undefined): number | undefined {
  const number = wholeNumberAt(pagination, 'PgNb');
  return number && withinLargest(number, elementAt(pagination, 'PgNb'), `${number}`, mostPages);
}

type Balance = ReturnType<typeof balancesOf>[number];

function balancesOf(headers: Element, timeZone: string) {
  return elementsAt(headers, 'Bal').map((element) => ({
    code: textAt(element, 'Tp', 'CdOrPrtry', 'Cd') ?? '',
    // INTM: the balance at the end of a page, not of the statement.
    isOfPage: textAt(element, 'Tp', 'SubTp', 'Cd') === 'INTM',
    currency: amountOf(elementAt(element, 'Amt')).currency.toLowerCase(),
    amount: signedAmount(element),
    day: dateAt(element, 'Dt', timeZone),
  }));
}

/** The day of a statement by its balances. The opening one may have the date of the day before: then they say none. */
function dayOfBalances(balances: readonly Balance[]): string | undefined {
  const daysOf = (codes: readonly string[]) => balances.filter(({ code }) => codes.includes(code)).map(({ day }) => day);
  const [opened, closed] = [daysOf(openingCodes), daysOf([...closingCodes, 'CLAV'])];
  return opened.length > 0 && closed.length > 0 ? onlyOf([...opened, ...closed]) : undefined;
}

/** What all of these are; undefined where they differ. */
function onlyOf(days: readonly (string | undefined)[]): string | undefined {
  return new Set(days).size === 1 ? days[0] : undefined;
}

function bookedBalances(balances: readonly Balance[]) {
  const booked = balances.filter(({ isOfPage, currency, amount }) => !isOfPage && currency !== '' && amount !== undefined);
  return [...Map.groupBy(booked, ({ currency }) => currency)].flatMap(([currency, ofCurrency]) => {
    const byDay = ofCurrency.toSorted((one, other) => ((one.day ?? '') < (other.day ?? '') ? -1 : 1));
    // A statement of several days may give the balances of each.
    const opening = openingCodes.flatMap((code) => byDay.find((balance) => balance.code === code) ?? []).at(0);
    const closing = byDay.findLast(({ code }) => closingCodes.includes(code));
    if (opening === undefined && closing === undefined) return [];
    return withoutUndefined({
      /** ISO 4217 in lower case. */
      currency,
      /** What was booked when the statement begins. */
      opening: opening?.amount,
      openedOn: opening?.day,
      /** What is booked when it ends. */
      closing: closing?.amount,
      closedOn: closing?.day,
    });
  });
}

/** Undefined for what is not an amount in minor units. */
function signedAmount(balance: Element): MinorUnits | undefined {
  const amount = minorUnitsOf(amountOf(elementAt(balance, 'Amt')).amount);
  return amount !== undefined && textAt(balance, 'CdtDbtInd') === 'DBIT' ? minorUnits(0n - amount) : amount;
}

function sequenceAt(headers: Element, name: string): number | undefined {
  const text = textAt(headers, name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
