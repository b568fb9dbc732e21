import { bankTime } from '../../bank-calendar.ts';
import { type Element, textAt } from '../xml/element.ts';

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
