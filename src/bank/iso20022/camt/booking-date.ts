import { type Element, textAt } from '../xml/element.ts';

/**
 * The day of a `DateAndDateTimeChoice` (`BookgDt`, `ValDt`), `YYYY-MM-DD`; `undefined` when there is none or it does not
 * exist. A time keeps the day that the bank wrote, in whichever time zone: another report of the same booking may have
 * only the day, and both must agree.
 */
export function dateAt(element: Element, name: string): string | undefined {
  return dateOfTime(textAt(element, name, 'Dt') ?? textAt(element, name, 'DtTm'));
}

/** The day of an ISO 8601 time or date; `undefined` when there is none or it does not exist. */
export function dateOfTime(text: string | undefined): string | undefined {
  const date = /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0];
  return date !== undefined && exists(date) ? date : undefined;
}

/** `Date` reads 30 February as 2 March: a day exists when it comes back unchanged. What no bank booked by these messages is no day. */
function exists(date: string): boolean {
  if (date < '1990' || date >= '2200') return false;
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date;
}
