import { textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';

/**
 * The day of a `DateAndDateTimeChoice` (`BookgDt`, `ValDt`), `YYYY-MM-DD`. A time keeps the bank's own day: it is not
 * moved to another time zone, as the same booking is elsewhere reported by its day alone.
 */
export function dayAt(element: Element, name: string): string | undefined {
  const text = textAt(element, name, 'Dt') ?? textAt(element, name, 'DtTm');
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  // 2015-02-30 is no day: the calendar would silently make it 2 March.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day;
}
