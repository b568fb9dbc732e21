import { type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { type Element, textAt, elementAt } from '../xml/element.ts';
import { malformed } from '../xml/bank-file-error.ts';
import { bankTime } from '../../bank-calendar.ts';

/**
 * An exact decimal number in units of 10^-17: `DecimalNumber` of the schemas has up to 17 fraction digits, amounts have
 * five. Not a float, which cannot hold 0.1 exactly.
 */
export type Decimal = bigint;

const fractionDigits = 17;

/** A minor unit (two fraction digits) as a decimal. */
export const minorUnit: Decimal = 10n ** 15n;

/** The lexical forms of a non-negative `xs:decimal`: `1000`, `1000.`, `.5`, `+1000.50`. It has no comma and no exponent. */
const decimalPattern = /^\+?(?:(\d{1,30})(?:\.(\d{0,17}))?|\.(\d{1,17}))$/;

/** The most that an order can hold (10^15 of a currency). The 18 digits of the schemas are for currencies of little value. */
const maxAmount = 10n ** 17n;

/** The decimal of an amount, undefined when it is none, and its currency, in upper case and empty when missing. */
export function amountOf(element: Element | undefined): { amount: Decimal | undefined; currency: string } {
  return { amount: parseDecimal(textAt(element)), currency: element?.currency?.trim().toUpperCase() ?? '' };
}

/** The number that a text stands for; `undefined` when it is negative or no decimal number. */
export function parseDecimal(text: string | undefined): Decimal | undefined {
  const match = decimalPattern.exec(text ?? '');
  if (match === null) return undefined;
  const [, integer = '0', fraction = '', bareFraction = ''] = match;
  return BigInt(integer) * 10n ** BigInt(fractionDigits) + BigInt((fraction || bareFraction).padEnd(fractionDigits, '0'));
}

/** The shortest text of a number, with at least two fraction digits. */
export function formatDecimal(value: Decimal): string {
  const digits = (value < 0n ? -value : value).toString().padStart(fractionDigits + 1, '0');
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, '').padEnd(2, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -fractionDigits)}.${fraction}`;
}

/** An amount in minor units; `undefined` when it has more than two decimals or is more than an order can hold. */
export function minorUnitsOf(amount: Decimal | undefined): MinorUnits | undefined {
  if (amount === undefined || amount % minorUnit !== 0n || amount / minorUnit > maxAmount) return undefined;
  return minorUnits(amount / minorUnit);
}

/** What an `integer` of the database holds: far more than a file has of anything. */
const largest = 2_147_483_647;

/** The count or page number at a path; `undefined` when there is none. Throws `statement_malformed` for anything else. */
export function wholeNumberAt(element: Element | undefined, ...path: string[]): number | undefined {
  const text = textAt(element, ...path);
  if (text === undefined) return undefined;
  return withinLargest(/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN, elementAt(element, ...path), text);
}

/** A number that was read or summed. Throws `statement_malformed` where it is none or more than `most`, naming the element and what it holds. */
export function withinLargest(number: number, element: Element | undefined, text = `${number}`, most = largest): number {
  if (number <= most) return number;
  const problem = `<${element?.name}> is ${text.slice(0, 40)}, and not a whole number of at most ${most}`;
  throw malformed(problem, 'Ask the bank for a file that follows the schema.', element);
}

/**
 * The day of a `DateAndDateTimeChoice` (`BookgDt`, `ValDt`), `YYYY-MM-DD`; `undefined` when there is none or it does not
 * exist. Another report of the same booking may have only the day, and both must agree: see {@link dateOfTime}.
 */
export function dateAt(element: Element, name: string, timeZone: string): string | undefined {
  return dateOfTime(textAt(element, name, 'Dt') ?? textAt(element, name, 'DtTm'), timeZone);
}

/**
 * The day of an ISO 8601 time or date; `undefined` when there is none or it does not exist. A time in UTC is of the day that it is at the bank, in its time
 * zone. One with another offset, or none, is on the bank's clock already, and a midnight stands for its day.
 */
export function dateOfTime(text: string | undefined, timeZone: string): string | undefined {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:Z|[+-]00:00)$)?/.exec(text ?? '') ?? [];
  if (date === undefined || !exists(date)) return undefined;
  const at = time === undefined || time === '00:00:00' ? Number.NaN : Date.parse(`${date}T${time}Z`);
  return Number.isNaN(at) ? date : bankTime(new Date(at), { timeZone }).slice(0, 10);
}

/** `Date` reads 30 February as 2 March: a day exists when it comes back unchanged. What no bank booked by these messages is no day. */
function exists(date: string): boolean {
  if (date < '1990' || date >= '2200') return false;
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date;
}
