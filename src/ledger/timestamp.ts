/** RFC 3339 to the minute, the second or a fraction of it, in UTC or with an offset (docs/api.md, Messages). */
export const timestampPattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d))$/;

/** The moment that a timestamp names, in milliseconds since 1970, rounded down; `undefined` when it is none, such as 30 February. */
export function parseTimestamp(text: string): number | undefined {
  const match = timestampPattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59)
    return undefined;
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for the twentieth century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that its month does not have comes out as one of the next.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)));
  return date.getTime();
}
