import { InvalidArgumentError } from 'commander';

const millisecondsOf: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads the `--since` of a command: a date, a time in RFC 3339, or a span back from now such as `90m`, `24h` or `7d`. */
export function since(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (unit !== undefined) return new Date(Date.now() - Number(count) * (millisecondsOf[unit] ?? 0));
  const time = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('A date such as 2026-11-21, a time such as 2026-11-21T09:30:00Z, or a span such as 90m, 24h or 7d.');
}
